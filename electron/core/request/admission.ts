import type { CapState } from '#shared/contract/chat/caps.ts';
import { refusal } from '#shared/language/refusals.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { BuiltRequest } from './request.ts';

export interface AdmissionDeps {
  /** What a request would cost at most, in nano-USD, and who pays; null where nobody knows. Asks the gateway. */
  readonly upperBound: (request: BuiltRequest) => Promise<bigint | null>;
  readonly caps: {
    any(): Promise<boolean>;
    stateOf(conversationId: string | null, upper: bigint): Promise<CapState[]>;
    reserve(id: string, conversationId: string, upper: bigint): void;
  };
}

interface Admit {
  readonly answerId: string;
  readonly conversationId: string;
  readonly request: BuiltRequest;
  readonly overCaps: boolean;
}

interface AdmitTogether {
  readonly conversationId: string;
  readonly overCaps: boolean;
  /** `name`: what to call the model where one of several cannot be asked; null where there is one only. */
  readonly answers: readonly {
    readonly answerId: string;
    readonly request: BuiltRequest;
    readonly name: string | null;
  }[];
}

/**
 * Decides whether a request may go out: it fits the model, and no cap is exceeded even if the answer is as dear as it
 * can be. What is admitted counts against the caps from then on. One at a time, so that two cannot share the same room.
 */
export function openAdmission({ upperBound, caps }: AdmissionDeps) {
  const admitted = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();

  async function check({ answerId, conversationId, request, overCaps }: Admit): Promise<void> {
    await checkAll({ conversationId, overCaps, answers: [{ answerId, request, name: null }] });
  }

  /** All or none: the caps count the sum of what each may cost. A price that nobody knows is in no sum. */
  async function checkAll({ conversationId, overCaps, answers }: AdmitTogether): Promise<void> {
    for (const { request, name } of answers) refuseUnsendable(request, name);
    if (!(await caps.any())) return;
    const uppers = await Promise.all(
      answers.map(async (answer) => ({ ...answer, upper: await upperBound(answer.request) })),
    );
    const known = uppers.flatMap(({ upper, ...answer }) => (upper === null ? [] : [{ ...answer, upper }]));
    if (known.length === 0) return;
    const sum = known.reduce((total, { upper }) => total + upper, 0n);
    const over = (await caps.stateOf(conversationId, sum)).find(({ state }) => state === 'over');
    if (over && !overCaps) {
      throw refusal('cap_exceeded', 'capExceeded', { ...over, dearest: dearestOf(known) }, { details: { cap: over } });
    }
    for (const { answerId, upper } of known) caps.reserve(answerId, conversationId, upper);
  }

  async function inTurn(work: () => Promise<void>): Promise<void> {
    const turn = last.then(work);
    last = turn.catch(() => {});
    await turn;
  }

  return {
    /** Throws `cap_exceeded`, `context_length_exceeded` or `unsupported_modality`; an answer is asked about once. */
    async admit(input: Admit): Promise<void> {
      if (admitted.delete(input.answerId)) return;
      await inTurn(() => check(input));
    },
    /** The same for answers that begin together. */
    admitTogether: (input: AdmitTogether): Promise<void> => inTurn(() => checkAll(input)),
    /** The answer was asked about before it was stored: its turn need not ask again. */
    remember(answerId: string): void {
      admitted.add(answerId);
    },
  };
}

export type Admission = ReturnType<typeof openAdmission>;

function refuseUnsendable({ context, unread }: BuiltRequest, name: string | null): void {
  const [file] = unread;
  if (file) {
    throw refusal('unsupported_modality', 'notRead', { model: name, kind: file.kind, file: file.name });
  }
  if (context.overflows) {
    const { limitTokens, notSentIds } = context;
    const details = { outside: notSentIds.length };
    throw refusal('context_length_exceeded', 'contextFull', { model: name, limit: limitTokens }, { details });
  }
}

/** Where several models are asked: which of them may cost the most. */
function dearestOf(answers: readonly { readonly name: string | null; readonly upper: bigint }[]) {
  const { name, upper } = answers.reduce((most, answer) => (answer.upper > most.upper ? answer : most));
  return answers.length < 2 || name === null ? null : { name, upToUsd: formatUsd(nanoUsd(upper)) };
}
