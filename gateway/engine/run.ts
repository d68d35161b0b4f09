import type { AppError } from '#shared/errors.ts';
import type { FinishReason } from '#shared/wire/chat-response.ts';
import type { Extent } from '../billing/highest-cost.ts';
import type { Meter } from '../billing/meter.ts';
import type { Reserve } from '../billing/reserve.ts';
import type { UsageLimits } from '../billing/usage-limits.ts';
import type { StopSignal } from '../concurrency/stop-signal.ts';
import type { Fitted } from '../fitting/fit-request.ts';
import type { Held } from '../ledger/ledger.ts';
import type { CallState } from '../providers/call-state.ts';
import type { Served } from '../providers/provider.ts';
import type { SignedCall } from '../reasoning/kept-reasoning.ts';
import { type AttemptRecord, explain } from '../routing/explain.ts';
import type { Admitted, Target } from './admit.ts';
import type { AnswerPart, Question } from './answer.ts';
import type { AnswerClock } from './answer-clock.ts';
import type { Backpressure } from './backpressure.ts';
import type { Disconnect } from './disconnect.ts';
import type { EngineDeps } from './engine.ts';

/** Hands parts to the reader; a promise where the reader has to catch up first. */
export type Emit = (parts: readonly AnswerPart[]) => Promise<void> | undefined;

/** An answer's surroundings, before anything of it is decided. */
export interface RunContext {
  readonly question: Question;
  readonly deps: EngineDeps;
  readonly signal: StopSignal;
  readonly emit: Emit;
  readonly disconnect: Pick<Disconnect, 'asks'>;
  readonly backpressure: Backpressure;
  readonly clock: Pick<AnswerClock, 'allow'>;
  /** Told once, when the bill is made, how many tokens were used. */
  readonly measured: (tokens: number) => void;
}

/** One attempt as it stands. */
export interface Try {
  readonly target: Target;
  readonly meter: Meter;
  readonly limits: UsageLimits;
  readonly startedAt: number;
  readonly fitted: Fitted;
  /** What the provider wants back of earlier answers and the client did not send. */
  readonly recalled: CallState | null;
  /** It comes in one piece: asked for like that, and not begun otherwise. */
  whole: boolean;
  firstTokenAt: number | null;
}

/** All that is known of a request while it runs. */
export interface Run extends RunContext {
  readonly admitted: Admitted;
  readonly reserve: Reserve;
  readonly startedAt: number;
  /** Until its hold is durable no byte of the answer may leave. */
  readonly held: Held;
  readonly attempts: AttemptRecord[];
  /** The answer's calls that come with something their provider wants back. */
  readonly signed: SignedCall[];
  current: Try | null;
  /** Something of the answer went out: from here on nobody else may be asked. */
  spoken: boolean;
  /** How long the upstreams may take to begin, from `startedAt`, by the slowest model that was asked. */
  firstEventMs: number;
  /** What earlier, failed attempts will cost whoever pays the upstream. */
  wasted: bigint;
}

export type Outcome =
  | { readonly kind: 'finished'; readonly reason: FinishReason; readonly served: Served | null }
  | { readonly kind: 'out_of_credit' }
  | {
      readonly kind: 'failed';
      readonly error: AppError;
      /** The upstream broke off, because it had to wait for the client: that is as if the client had left. */
      readonly byClient: boolean;
    };

/** What a bill goes by, of a chat or of embeddings. */
export interface Billable extends Pick<Run, 'attempts' | 'startedAt' | 'wasted'> {
  readonly question: Pick<Question, 'requestId' | 'byoKey' | 'fullRouting'>;
  readonly deps: Pick<EngineDeps, 'byokFeeBps' | 'catalogue' | 'now'>;
  readonly admitted: Pick<Admitted, 'decision' | 'targets'> & { readonly features: Omit<Extent, 'outputTokens'> };
  readonly reserve: Pick<Reserve, 'held'>;
  readonly current: BilledTry | null;
}

export type BilledTry = Pick<Try, 'target' | 'meter' | 'limits' | 'firstTokenAt'>;

/** How the model was chosen and what was tried, so far. */
export const routingOf = (
  { admitted, deps, attempts, question }: Billable,
  { target }: BilledTry,
  full = question.fullRouting,
) =>
  explain({
    decision: admitted.decision,
    model: target.model,
    attempts,
    catalogueVersion: deps.catalogue().version,
    full,
  });
