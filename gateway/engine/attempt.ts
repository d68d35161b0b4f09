import { AppError, toAppError } from '#shared/errors.ts';
import { Stop, type StopSignal } from '../concurrency/stop-signal.ts';
import type { ProviderRequest, TakeEvents } from '../providers/provider.ts';
import { reasonOf } from '../upstream/upstream-error.ts';
import type { UpstreamFetch } from '../upstream/upstream-response.ts';
import type { Target } from './admit.ts';

export interface AttemptContext {
  /** Stops the attempt at once; its reason is an `AppError` that says why. */
  readonly signal: StopSignal;
  /** How long the upstream may take to begin. */
  readonly firstEventMs: number;
  /** How long it may be silent in the middle of a stream. */
  readonly silentMs: number;
  /** A whole answer begins where it ends: only the limit of all of it counts, unless it comes in parts after all. */
  readonly whole: boolean;
  readonly fetch: UpstreamFetch;
  readonly answersInParts: () => void;
}

/**
 * Asks one upstream once. Resolves only after a `finish` event; whatever else happens is an `AppError`. What `take` throws
 * stops the attempt and aborts the upstream.
 */
export async function attempt(
  target: Target,
  request: ProviderRequest,
  context: AttemptContext,
  take: TakeEvents,
): Promise<void> {
  const abort = new Stop();
  const stop = () => abort.abort(context.signal.reason);
  if (context.signal.aborted) stop();
  context.signal.addEventListener('abort', stop, { once: true });
  const { firstEventMs, silentMs, whole, fetch } = context;
  let timer: NodeJS.Timeout | undefined;
  const expectBeginning = () => {
    timer = setTimeout(() => abort.abort(firstEventTimeout(target)), firstEventMs);
  };
  if (!whole) expectBeginning();
  const answersInParts = () => {
    if (!whole) return;
    expectBeginning();
    context.answersInParts();
  };
  let begun = false;
  let finished = false;
  let over = false;
  const hear: TakeEvents = (events) => {
    if (events.length === 0) return undefined;
    if (!begun) clearTimeout(timer);
    begun = true;
    for (const { type } of events) if (type === 'finish') finished = true;
    return take(events);
  };
  try {
    abort.throwIfAborted();
    const { provider, credential } = target;
    const answersWhole = () => clearTimeout(timer);
    await provider.chat(request, { credential, signal: abort, fetch, silentMs, answersInParts, answersWhole }, hear);
    over = true;
    abort.throwIfAborted();
    if (!finished) throw truncated(target);
  } catch (error) {
    throw toAppError(abort.aborted ? abort.reason : error);
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', stop);
    if (!over) abort.abort(new AppError('cancelled', 'The attempt is over.'));
  }
}

function firstEventTimeout({ model }: Target): AppError {
  return new AppError('upstream_timeout', `${model.id} did not begin to answer in time.`, { provider: model.provider });
}

function truncated({ model }: Target): AppError {
  return new AppError('upstream_truncated', `The answer of ${model.id} was cut off before its end.`, {
    provider: model.provider,
  });
}

/** With the caller's own key only what asking again can mend: the network and the server's own faults (§6). */
const mendable = new Set<string>([
  'upstream_unreachable',
  'upstream_error',
  'upstream_overloaded',
  'upstream_truncated',
]);

/** Whether another model may do better: faults of the upstream, and what only this model refuses; never the request's own (§5.3.6). */
export function mayTryNext(error: AppError, ownKey = false): boolean {
  if (ownKey) return mendable.has(error.code) && reasonOf(error) === null;
  return isUpstreamFault(error) || error.code === 'context_length_exceeded' || reasonOf(error) === 'model_refuses';
}

/** Faults that say something about the upstream's health. */
export function isUpstreamFault({ code }: AppError): boolean {
  return (code.startsWith('upstream_') && code !== 'upstream_invalid_request') || code === 'no_provider_available';
}
