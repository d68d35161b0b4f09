import type { CapState } from '#shared/contract/caps.ts';
import { AppError } from '#shared/errors.ts';
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

/**
 * Decides whether a request may go out: it fits the model, and no cap is exceeded even if the answer is as dear as it
 * can be. What is admitted counts against the caps from then on. One at a time, so that two cannot share the same room.
 */
export function openAdmission({ upperBound, caps }: AdmissionDeps) {
  const admitted = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();

  async function check({ answerId, conversationId, request, overCaps }: Admit): Promise<void> {
    refuseUnsendable(request);
    if (!(await caps.any())) return;
    const upper = await upperBound(request);
    if (upper === null) return;
    const over = (await caps.stateOf(conversationId, upper)).find(({ state }) => state === 'over');
    if (over && !overCaps) {
      throw new AppError('cap_exceeded', capSentence(over), { details: { cap: over } });
    }
    caps.reserve(answerId, conversationId, upper);
  }

  return {
    /** Throws `cap_exceeded`, `context_length_exceeded` or `unsupported_modality`; an answer is asked about once. */
    async admit(input: Admit): Promise<void> {
      if (admitted.delete(input.answerId)) return;
      const turn = last.then(() => check(input));
      last = turn.catch(() => {});
      await turn;
    },
    /** The answer was asked about before it was stored: its turn need not ask again. */
    remember(answerId: string): void {
      admitted.add(answerId);
    },
  };
}

export type Admission = ReturnType<typeof openAdmission>;

function refuseUnsendable({ context, unread }: BuiltRequest): void {
  const [file] = unread;
  if (file) {
    const kind = file.kind === 'image' ? 'images' : 'PDF files';
    throw new AppError('unsupported_modality', `This model does not read ${kind}: ${file.name} cannot be sent to it.`);
  }
  if (context.overflows) {
    throw new AppError(
      'context_length_exceeded',
      `This chat no longer fits into the model's context of ${context.limitTokens?.toLocaleString('en-US')} tokens.`,
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
