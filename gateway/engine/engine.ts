import { AppError } from '#shared/errors.ts';
import type { CredentialWatch } from '../access/auth/watch-credentials.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Catalogue } from '../models/catalogue/catalogue.ts';
import type { Registry } from '../providers/registry.ts';
import type { UpstreamFetch } from '../providers/upstream/upstream-response.ts';
import { andThen } from '../runtime/concurrency/awaitable.ts';
import { createSlotSet, type Running } from '../runtime/concurrency/running.ts';
import { Stop, type StopSignal } from '../runtime/concurrency/stop-signal.ts';
import type { AnswerObserver, Engine } from './answer.ts';
import { type Backpressure, measureBackpressure } from './answer-listener.ts';
import { runAnswer } from './answer-task.ts';
import { type CachedShares, createCachedShares } from './billing/cached-shares.ts';
import { createTrueBills, type TrueBills } from './billing/true-bill.ts';
import {
  createClientDisconnect,
  createDisconnectPenalties,
  type DisconnectPenalties,
  startAnswerClock,
} from './disconnect.ts';
import { createReadingOn, type ReadingOn } from './reads-on.ts';
import type { ReasoningState } from './reasoning/reasoning-state.ts';
import type { Health } from './routing/health.ts';
import type { Sticky } from './routing/resolve.ts';
import type { Emit } from './run.ts';

export interface EngineTimeouts {
  /** From the request to the upstream's first event, over all attempts. */
  readonly firstEventMs: number;
  /** The same for one attempt that is not the last, of a model that does not think. */
  readonly attemptMs: number;
  /** Between two pieces of a stream, comments and pings included, while we listen. */
  readonly silentMs: number;
  /** From the request to the end of the answer, without the time in which its client kept the upstream waiting. */
  readonly totalMs: number;
  /** The same where a model thinks, which may be silent for minutes. No other one is asked meanwhile. */
  readonly thinking: { readonly firstEventMs: number; readonly silentMs: number; readonly totalMs: number };
  /** Between two renewals of a hold's lease. */
  readonly leaseMs: number;
  /** For how long a provider is asked what an answer cost that its client left. */
  readonly trueBillMs: number;
  /** For how long an answer that its client left is read on, for the count that comes last. */
  readonly readOnMs: number;
}

/** The limits of wire contract §5.3.6 and §7, and of docs/decisions/049. */
export const engineTimeouts: EngineTimeouts = {
  firstEventMs: 120_000,
  attemptMs: 30_000,
  silentMs: 60_000,
  totalMs: 600_000,
  thinking: { firstEventMs: 300_000, silentMs: 300_000, totalMs: 1_800_000 },
  leaseMs: 15_000,
  trueBillMs: 10_000,
  readOnMs: 60_000,
};

export interface EngineDeps {
  readonly ledger: Ledger;
  /** What providers sign and clients drop. */
  readonly reasoning: Pick<ReasoningState, 'keep' | 'recall'>;
  readonly registry: Registry;
  /** All models that may be served, the registry's own included. */
  readonly catalogue: () => Catalogue;
  readonly health: Health;
  readonly sticky: Sticky;
  readonly running: Running;
  /** Ends answers whose credential is taken away. */
  readonly credentials: Pick<CredentialWatch, 'watch'>;
  readonly leases: Leases;
  readonly trueBills: TrueBills;
  readonly readingOn: ReadingOn;
  readonly cachedShares: CachedShares;
  readonly disconnectPenalties: DisconnectPenalties;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly fetch: UpstreamFetch;
  /** Whether it waits as long as a whole answer may take to begin. */
  readonly isNonStreaming: boolean;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
  /** The word in front of `/router`. */
  readonly vendor: string;
  readonly timeouts: EngineTimeouts;
  /** What the operator asks for answers on a caller's own key, in basis points of their cost (§6). */
  readonly byokFeeBps: number;
}

/** What an engine makes for itself. */
type Made = 'leases' | 'disconnectPenalties' | 'trueBills' | 'readingOn' | 'cachedShares';

/** admit → hold → choose → attempt → settle, each answer in a task of its own. */
export function createEngine(given: Omit<EngineDeps, Made>): Engine {
  const { running, log, now } = given;
  const { leaseMs, trueBillMs, readOnMs } = given.timeouts;
  const trueBills = createTrueBills({ withinMs: trueBillMs, running, log });
  const deps: EngineDeps = {
    ...given,
    trueBills,
    readingOn: createReadingOn({ withinMs: readOnMs, running }),
    cachedShares: createCachedShares(now),
    leases: createLeases(leaseMs),
    disconnectPenalties: createDisconnectPenalties(now),
  };
  return {
    answer(question, client, reader, watcher) {
      const abort = new Stop();
      const disconnect = createClientDisconnect(reader, (provider) => drains(deps, provider), abort);
      const backpressure = measureBackpressure(disconnect.emit);
      const clock = startClock(abort, deps, backpressure, disconnect.expire);
      const unlink = stopWhen(abort, client, deps, disconnect.leave);
      const unwatch = deps.credentials.watch(question.principal, (why) => abort.abort(why));
      let tokens = 0;
      const measured = (count: number) => {
        tokens = count;
        watcher?.measured?.(count);
      };
      const left = (error: AppError) => {
        watcher?.left?.(error);
        disconnect.fail(error);
      };
      const over = () => {
        clock.stop();
        unlink();
        unwatch();
      };
      const context = { question, deps, signal: abort, disconnect, backpressure, clock, measured, left };
      const task = runAnswer({ ...context, emit: watched((parts) => backpressure.emit(parts), watcher) }).then(
        () =>
          andThen(watcher?.ended(tokens, null), () => {
            disconnect.end();
            over();
          }),
        (error: unknown) =>
          andThen(watcher?.ended(tokens, error), () => {
            disconnect.fail(error);
            over();
          }),
      );
      void deps.running.track(task);
    },
  };
}

/** Shows parts to the watcher before they are handed on. */
function watched(push: Emit, watcher: AnswerObserver | undefined): Emit {
  if (!watcher?.parts) return push;
  return (parts) => {
    const seen = watcher.parts?.(parts);
    return seen === undefined ? push(parts) : seen.then(() => push(parts));
  };
}

const drains = ({ registry }: EngineDeps, provider: string) =>
  registry.get(provider)?.credential?.onDisconnect === 'drain';

const clientGone = () => new AppError('client_closed_request', 'The client went away before the answer was complete.');

const tookTooLong = () =>
  new AppError('client_closed_request', 'The client took its answer so slowly that its time was up.');

/** The upstream was at work all the time, and bills it: the limit is the gateway's. */
const ranOutOfTime = () =>
  new AppError('upstream_timeout', 'The answer took longer than the gateway allows.', { origin: 'gateway' });

/** Ends an answer when its time is up. */
const startClock = (
  abort: Stop,
  { timeouts }: EngineDeps,
  backpressure: Backpressure,
  leave: (why: AppError) => void,
) =>
  startAnswerClock(timeouts.totalMs, backpressure, {
    upstream: () => abort.abort(ranOutOfTime()),
    client: () => leave(tookTooLong()),
  });

/** Ends an answer when its client leaves or the gateway shuts down. Returns what undoes the links. */
function stopWhen(abort: Stop, client: StopSignal, deps: EngineDeps, leave: (why: AppError) => void): () => void {
  const onClient = () => leave(client.reason instanceof AppError ? client.reason : clientGone());
  const onShutdown = () => abort.abort(new AppError('shutting_down', 'The gateway is shutting down.'));
  if (client.aborted) onClient();
  if (deps.running.stopped) onShutdown();
  client.addEventListener('abort', onClient, { once: true });
  const unlink = deps.running.whenStopped(onShutdown);
  return () => {
    client.removeEventListener('abort', onClient);
    unlink();
  };
}

/** Something that has to give a sign of life again and again for as long as it runs. */
export interface Leases {
  /** Calls `renew` once in each interval until the function that it answers is called. */
  keep(renew: () => void): () => void;
}

/** One timer for all: what begins in the middle of an interval is first renewed at its end. */
export function createLeases(intervalMs: number): Leases {
  const kept = createSlotSet<() => void>();
  let timer: NodeJS.Timeout | null = null;
  return {
    keep(renew) {
      const leave = kept.add(renew);
      timer ??= setInterval(() => {
        for (const one of kept) one();
      }, intervalMs);
      return () => {
        leave();
        if (kept.size > 0 || timer === null) return;
        clearInterval(timer);
        timer = null;
      };
    },
  };
}
