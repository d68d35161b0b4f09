import type { AppError } from '#shared/errors.ts';
import type { FinishReason } from '#shared/wire/chat-response.ts';
import type { Held } from '../ledger/ledger.ts';
import type { CallState } from '../providers/changed-request.ts';
import type { AskBill, Served } from '../providers/provider.ts';
import type { StopSignal } from '../runtime/concurrency/stop-signal.ts';
import type { Admitted, Target } from './admit.ts';
import type { AnswerPart, Question } from './answer.ts';
import type { Backpressure } from './answer-listener.ts';
import { isUpstreamFault } from './attempt.ts';
import type { Meter } from './billing/meter.ts';
import type { Extent, Reserve } from './billing/reserve.ts';
import type { UsageLimits } from './billing/usage-limits.ts';
import type { AnswerClock, ClientDisconnect } from './disconnect.ts';
import type { EngineDeps } from './engine.ts';
import type { Fitted } from './fitting/fit-request.ts';
import type { SignedCall } from './reasoning/reasoning-state.ts';
import { type AttemptRecord, explain } from './routing/resolve.ts';

/** Hands parts to the reader; a promise where the reader has to catch up first. */
export type Emit = (parts: readonly AnswerPart[]) => Promise<void> | undefined;

/** An answer's surroundings, before anything of it is decided. */
export interface RunContext {
  readonly question: Question;
  readonly deps: EngineDeps;
  readonly signal: StopSignal;
  readonly emit: Emit;
  readonly disconnect: Pick<ClientDisconnect, 'asks' | 'readOnAfter'>;
  readonly backpressure: Backpressure;
  readonly clock: Pick<AnswerClock, 'allow'>;
  /** Called when the bill is made, how many tokens were used. */
  readonly measured: (tokens: number) => void;
  /** Called where nobody waits for the bill: there is no more to come of the answer. */
  readonly left: (error: AppError) => void;
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
  /** Asks the provider what the answer cost; null where it cannot be asked. */
  askBill: AskBill | null;
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
export interface Billable extends Pick<Run, 'attempts' | 'startedAt' | 'wasted' | 'spoken'> {
  readonly question: Pick<Question, 'requestId' | 'byoKey' | 'fullRouting' | 'stream'>;
  readonly deps: Pick<EngineDeps, 'byokFeeBps' | 'catalogue' | 'now'>;
  readonly admitted: Pick<Admitted, 'decision' | 'targets'> & { readonly features: Omit<Extent, 'outputTokens'> };
  readonly reserve: Pick<Reserve, 'held'>;
  readonly current: BilledTry | null;
}

export type BilledTry = Pick<Try, 'target' | 'meter' | 'limits' | 'firstTokenAt'>;

/** How the model was chosen and what was tried, so far. */
export const getRouting = (
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

/** Why there is no whole answer, and whether that is the client's doing. */
export const failure = (run: Run, error: AppError): Extract<Outcome, { kind: 'failed' }> => ({
  kind: 'failed',
  error,
  byClient: run.spoken && !run.signal.aborted && isUpstreamFault(error) && run.backpressure.explainsBreak,
});

export function recordSuccess(run: Run, current: Try): void {
  const { deps, question, admitted } = run;
  const { accountId } = question.principal;
  const { model } = current.target;
  pushAttempt(run, current, null);
  deps.sticky.remember(admitted.conversation, model.id);
  if (question.byoKey) return;
  if (current.whole) {
    // Of a whole answer nobody knows when it began.
    deps.health.succeeded(model.id, accountId, null);
    return;
  }
  const firstAt = current.firstTokenAt ?? deps.now();
  const seconds = (deps.now() - firstAt - run.backpressure.ms) / 1_000;
  const tokensPerSecond = seconds > 0.1 ? current.meter.outputTokens / seconds : null;
  deps.health.succeeded(model.id, accountId, { firstTokenMs: firstAt - current.startedAt, tokensPerSecond });
}

/** We hung up ourselves: that says nothing about the upstream. */
export function recordCut(run: Run, current: Try): void {
  pushAttempt(run, current, null);
  const { byoKey, principal } = run.question;
  if (!byoKey) run.deps.health.abandoned(current.target.model.id, principal.accountId);
}

/** Only what the upstream did wrong counts against it: never the caller's key, request or leaving. */
export function recordFailure(run: Run, error: AppError): void {
  const { current, deps, question } = run;
  if (!current) return;
  const { model } = current.target;
  pushAttempt(run, current, error.code);
  if (question.byoKey) return;
  const itsFault = isUpstreamFault(error) && !run.signal.aborted && !failure(run, error).byClient;
  const { accountId } = question.principal;
  if (itsFault) deps.health.failed(model.id, accountId, error);
  else deps.health.abandoned(model.id, accountId);
}

function pushAttempt(run: Run, current: Try, code: string | null): void {
  const { model } = current.target;
  run.attempts.push({
    provider: model.provider,
    model: model.model,
    status: code === null ? 'ok' : 'error',
    code,
    latency_ms: Math.max(0, Math.round((current.firstTokenAt ?? run.deps.now()) - current.startedAt)),
  });
}
