import { AppError } from '#shared/errors.ts';
import type { TokenUsage } from '#shared/price.ts';
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
import { createTrueBills, type TrueBills } from './billing/true-bill.ts';
import {
  createClientDisconnect,
  createDisconnectPenalties,
  type DisconnectPenalties,
  startAnswerClock,
} from './disconnect.ts';
import type { ReasoningState } from './reasoning/reasoning-state.ts';
import type { Health } from './routing/health.ts';
import type { Sticky } from './routing/resolve.ts';
import type { Emit } from './run.ts';

/** Answers that are read on without their clients, for the count that their providers send last (docs/decisions/102). */
interface ReadingOn {
  /** Takes a place. Null where there is none; else what gives it back. `stop` is called when the time is up. */
  begin(accountId: string, stop: () => void): (() => void) | null;
}

interface ReadingOnDeps {
  /** How long one is read on, in milliseconds. */
  readonly withinMs: number;
  readonly running: Pick<Running, 'draining' | 'whenDraining'>;
}

/** No limit of an account counts them any more, and each keeps a connection and its request in memory. */
const maxAtOnce = { all: 200, account: 20 };

function createReadingOn({ withinMs, running }: ReadingOnDeps): ReadingOn {
  const open = new Map<string, number>();
  let all = 0;
  return {
    begin(accountId, stop) {
      const own = open.get(accountId) ?? 0;
      if (running.draining || all >= maxAtOnce.all || own >= maxAtOnce.account) return null;
      all += 1;
      open.set(accountId, own + 1);
      const timer = setTimeout(stop, withinMs);
      const unlink = running.whenDraining(stop);
      return () => {
        clearTimeout(timer);
        unlink();
        all -= 1;
        const left = (open.get(accountId) ?? 1) - 1;
        if (left > 0) open.set(accountId, left);
        else open.delete(accountId);
      };
    },
  };
}

/** Which part of its last prompt each conversation had read from its provider's cache. */
interface CachedShares {
  /** From 0 to 1. */
  recall(conversation: string, modelId: string): number;
  remember(conversation: string, modelId: string, usage: TokenUsage): void;
}

/** Providers keep a prompt for five to ten minutes as a rule. */
const keptMs = 600_000;
const maxEntries = 10_000;

/**
 * An answer that is left before its count is estimated by this: most of a long conversation costs a tenth, and only the count
 * would say so (docs/decisions/102).
 */
function createCachedShares(now: () => number): CachedShares {
  const entries = new Map<string, { readonly modelId: string; readonly share: number; readonly until: number }>();
  return {
    recall(conversation, modelId) {
      const entry = entries.get(conversation);
      return entry && entry.modelId === modelId && entry.until > now() ? entry.share : 0;
    },
    remember(conversation, modelId, { promptTokens, cachedTokens }) {
      entries.delete(conversation);
      if (promptTokens === 0 || cachedTokens === 0) return;
      entries.set(conversation, { modelId, share: Math.min(1, cachedTokens / promptTokens), until: now() + keptMs });
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
}

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
