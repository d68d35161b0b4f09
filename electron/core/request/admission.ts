import type { CapState } from '#shared/contract/chat/caps.ts';
import { refusal } from '#shared/language/refusals.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { takingTurns } from '#shared/taking-turns.ts';
import type { BuiltRequest } from './request.ts';

/** The parts of a request that are checked. A summary's request has only these. */
type CheckedRequest = Pick<BuiltRequest, 'body' | 'context' | 'unread'>;

export interface AdmissionDeps {
  /**
   * Returns the upper bound of a request in nano-USD and the model that answers it, or null if it is unknown. Asks the
   * gateway.
   */
  readonly upperBound: (request: CheckedRequest) => Promise<Upper | null>;
  readonly caps: {
    any(): Promise<boolean>;
    getState(conversationId: string | null, uppers: readonly Upper[]): Promise<CapState[]>;
    reserve(id: string, conversationId: string, upper: Upper): void;
  };
}

/** The most that an answer of this model may cost, in nano-USD. */
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
  /** `name` is the model’s name for error messages, or null if there is only one answer. */
  readonly answers: readonly {
    readonly answerId: string;
    readonly request: CheckedRequest;
    readonly name: string | null;
  }[];
}

/**
 * Admits requests that fit the model and can't exceed a spending limit even at their upper bound. An admitted request
 * counts against the limits at once. Requests are checked one after another, so two of them can't both use the same
 * rest of a limit.
 */
export function openAdmission({ upperBound, caps }: AdmissionDeps) {
  const oneAtATime = takingTurns();

  /**
   * Admits all of the answers or none. The spending limits count the sum of the upper bounds, without unknown prices.
   */
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
    /** Admits one answer. Throws `cap_exceeded`, `context_length_exceeded` or `unsupported_modality`. */
    admit: ({ answerId, conversationId, request, overCaps }: Admit): Promise<void> =>
      oneAtATime(() => checkAll({ conversationId, overCaps, answers: [{ answerId, request, name: null }] })),
    /** Admits answers that start together, all or none. */
    admitTogether: (input: AdmitTogether): Promise<void> => oneAtATime(() => checkAll(input)),
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

/** Returns the most expensive of several models, for the error message. Null for a single one. */
function getDearest(answers: readonly { readonly name: string | null; readonly upper: bigint }[]) {
  const { name, upper } = answers.reduce((most, answer) => (answer.upper > most.upper ? answer : most));
  return answers.length < 2 || name === null ? null : { name, upToUsd: formatUsd(nanoUsd(upper)) };
}
