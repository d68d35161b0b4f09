import type { AppError } from '#shared/errors.ts';
import type { FinishReason } from '#shared/wire/chat-response.ts';
import type { Meter } from '../billing/meter.ts';
import type { Reserve } from '../billing/reserve.ts';
import type { UsageLimits } from '../billing/usage-limits.ts';
import type { StopSignal } from '../concurrency/stop-signal.ts';
import type { Held } from '../ledger/ledger.ts';
import { type AttemptRecord, explain } from '../routing/explain.ts';
import type { Admitted, Target } from './admit.ts';
import type { AnswerPart, Question } from './answer.ts';
import type { HeldBack } from './backpressure.ts';
import type { EngineDeps } from './engine.ts';
import type { Fitted } from './fit-parameters.ts';

/** Hands a part to the reader; a promise where the reader has to catch up first. */
export type Emit = (part: AnswerPart) => Promise<void> | undefined;

/** Whoever the answer is for. */
export interface Reader {
  readonly emit: Emit;
  readonly heldBack: HeldBack;
}

/** One attempt as it stands. */
export interface Try {
  readonly target: Target;
  readonly meter: Meter;
  readonly limits: UsageLimits;
  readonly startedAt: number;
  readonly fitted: Fitted;
  firstTokenAt: number | null;
}

/** All that is known of a request while it runs. */
export interface Run extends Reader {
  readonly question: Question;
  readonly deps: EngineDeps;
  readonly signal: StopSignal;
  /** Told once, when the bill is made, how many tokens were used. */
  readonly measured: (tokens: number) => void;
  readonly admitted: Admitted;
  readonly reserve: Reserve;
  readonly startedAt: number;
  /** Until its hold is durable no byte of the answer may leave. */
  readonly held: Held;
  readonly attempts: AttemptRecord[];
  current: Try | null;
  /** Something of the answer went out: from here on nobody else may be asked. */
  spoken: boolean;
  /** What earlier, failed attempts will cost whoever pays the upstream. */
  wasted: bigint;
}

export type Outcome =
  | { readonly kind: 'finished'; readonly reason: FinishReason }
  | { readonly kind: 'out_of_credit' }
  | {
      readonly kind: 'failed';
      readonly error: AppError;
      /** The upstream broke off, because it had to wait for the client: that is as if the client had left. */
      readonly byClient: boolean;
    };

/** How the model was chosen and what was tried, so far. */
export const routingOf = ({ admitted, deps, attempts, question }: Run, { target }: Try, full = question.fullRouting) =>
  explain({
    decision: admitted.decision,
    model: target.model,
    attempts,
    catalogueVersion: deps.catalogue().version,
    full,
  });
