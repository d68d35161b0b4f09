import type { CapState } from '#shared/contract/chat/caps.ts';
import { refusal } from '#shared/language/refusals.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { takingTurns } from '#shared/taking-turns.ts';
import type { BuiltRequest } from './request.ts';

/** What is checked of a request; a summary's has no more. */
type CheckedRequest = Pick<BuiltRequest, 'body' | 'context' | 'unread'>;

export interface AdmissionDeps {
  /** The upper bound of a request in nano-USD, and the model that answers it; null if unknown. Asks the gateway. */
  readonly upperBound: (request: CheckedRequest) => Promise<Upper | null>;
  readonly caps: {
    any(): Promise<boolean>;
    getState(conversationId: string | null, uppers: readonly Upper[]): Promise<CapState[]>;
    reserve(id: string, conversationId: string, upper: Upper): void;
  };
}

/** At most so much, in nano-USD, for an answer of this model. */
export interface Upper {
  readonly model: string;
  readonly upper: bigint;
}

interface Admit {
  readonly answerId: string;
  readonly conversationId: string;
  readonly request: CheckedRequest;
  readonly overCaps: boolean;
}

interface AdmitTogether {
  readonly conversationId: string;
  readonly overCaps: boolean;
  /** `name`: the model’s name for error messages where there are several; null for a single one. */
  readonly answers: readonly {
    readonly answerId: string;
    readonly request: CheckedRequest;
    readonly name: string | null;
  }[];
}

/**
 * Admits requests that fit the model and exceed no cap even at their upper bound. What is admitted counts against the
 * caps from then on. Serialised, so that two requests cannot use the same rest.
 */
export function openAdmission({ upperBound, caps }: AdmissionDeps) {
  const inTurn = takingTurns();

  /** All or none: the caps count the sum of the upper bounds. Unknown prices are not counted. */
  async function checkAll({ conversationId, overCaps, answers }: AdmitTogether): Promise<void> {
    for (const { request, name } of answers) refuseUnsendable(request, name);
    if (!(await caps.any())) return;
    const uppers = await Promise.all(
      answers.map(async (answer) => ({ ...answer, bound: await upperBound(answer.request) })),
    );
    const known = uppers.flatMap(({ bound, ...answer }) => (bound === null ? [] : [{ ...answer, ...bound }]));
    if (known.length === 0) return;
    const over = (await caps.getState(conversationId, known)).find(({ state }) => state === 'over');
    if (over && !overCaps) {
      throw refusal('cap_exceeded', 'capExceeded', { ...over, dearest: getDearest(known) }, { details: { cap: over } });
    }
    for (const { answerId, model, upper } of known) caps.reserve(answerId, conversationId, { model, upper });
  }

  return {
    /** Throws `cap_exceeded`, `context_length_exceeded` or `unsupported_modality`. */
    admit: ({ answerId, conversationId, request, overCaps }: Admit): Promise<void> =>
      inTurn(() => checkAll({ conversationId, overCaps, answers: [{ answerId, request, name: null }] })),
    /** The same for answers that start together. */
    admitTogether: (input: AdmitTogether): Promise<void> => inTurn(() => checkAll(input)),
  };
}

export type Admission = ReturnType<typeof openAdmission>;

function refuseUnsendable({ context, unread }: CheckedRequest, name: string | null): void {
  const [file] = unread;
  if (file) {
    throw refusal('unsupported_modality', 'notRead', { model: name, kind: file.kind, file: file.name });
  }
  if (context.overflows) {
    const { limitTokens: limit, reservedTokens: reserved, maxMessages, notSentIds } = context;
    const details = { outside: notSentIds.length };
    throw refusal('context_length_exceeded', 'contextFull', { model: name, limit, reserved, maxMessages }, { details });
  }
}

/** The most expensive of several models. */
function getDearest(answers: readonly { readonly name: string | null; readonly upper: bigint }[]) {
  const { name, upper } = answers.reduce((most, answer) => (answer.upper > most.upper ? answer : most));
  return answers.length < 2 || name === null ? null : { name, upToUsd: formatUsd(nanoUsd(upper)) };
}
