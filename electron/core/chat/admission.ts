import type { CapState } from '#shared/contract/caps.ts';
import { AppError } from '#shared/errors.ts';
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
  /** `name`: what to call the model where one of several cannot be asked. */
  readonly answers: readonly { readonly answerId: string; readonly request: BuiltRequest; readonly name: string }[];
}

/**
 * Decides whether a request may go out: it fits the model, and no cap is exceeded even if the answer is as dear as it
 * can be. What is admitted counts against the caps from then on. One at a time, so that two cannot share the same room.
 */
export function openAdmission({ upperBound, caps }: AdmissionDeps) {
  const admitted = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();

  async function check({ answerId, conversationId, request, overCaps }: Admit): Promise<void> {
    await checkAll({ conversationId, overCaps, answers: [{ answerId, request, name: 'This model' }] });
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
      throw new AppError('cap_exceeded', capSentence(over) + dearestOf(known), { details: { cap: over } });
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

function refuseUnsendable({ context, unread }: BuiltRequest, name: string): void {
  const [file] = unread;
  if (file) {
    const kind = file.kind === 'image' ? 'images' : 'PDF files';
    throw new AppError('unsupported_modality', `${name} does not read ${kind}: ${file.name} cannot be sent to it.`);
  }
  if (context.overflows) {
    throw new AppError(
      'context_length_exceeded',
      `This chat no longer fits into the context of ${name === 'This model' ? 'this model' : name}: ${context.limitTokens?.toLocaleString('en-US')} tokens.`,
      { details: { outside: context.outsideIds.length } },
    );
  }
}

const scopes = {
  message: 'a message',
  conversation: 'this chat',
  day: 'today (UTC)',
  month: 'this month (UTC)',
} as const;

function capSentence({ scope, capUsd, spentUsd, afterUsd }: CapState): string {
  const spent = scope === 'message' ? '' : `, of which $${spentUsd} are spent`;
  return `Your cap for ${scopes[scope]} is $${capUsd}${spent}. With this message it could become $${afterUsd}.`;
}

/** Where several models are asked: which of them may cost the most. */
function dearestOf(answers: readonly { readonly name: string; readonly upper: bigint }[]): string {
  const dearest = answers.reduce((most, answer) => (answer.upper > most.upper ? answer : most));
  return answers.length < 2 ? '' : ` The dearest is ${dearest.name}, up to $${formatUsd(nanoUsd(dearest.upper))}.`;
}
