import { AppError } from '#shared/errors.ts';
import type { TokenUsage } from '#shared/price.ts';
import type { CredentialWatch } from '../access/auth/watch-credentials.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Catalogue } from '../models/catalogue/catalogue.ts';
import type { Registry } from '../providers/registry.ts';
import type { UpstreamFetch } from '../providers/upstream/upstream-response.ts';
import { createSlotSet, type Running } from '../runtime/concurrency/running.ts';
import { Stop } from '../runtime/concurrency/stop-signal.ts';
import type { Engine } from './answer.ts';
import { AnswerDelivery, createDisconnectPenalties, type DisconnectPenalties } from './answer-delivery.ts';
import { createProviderCosts, type ProviderCosts } from './billing/provider-cost.ts';
import { answerRequest } from './chat-task.ts';
import type { ReasoningState } from './reasoning/reasoning-state.ts';
import type { Health } from './routing/health.ts';
import type { Sticky } from './routing/resolve.ts';

/** Keeps reading answers whose clients have disconnected, for the token count that their providers send last (docs/decisions/102). */
interface ReadingOn {
  /** Takes a place and returns the function that gives it back. Null when no place is free. `stop` is called when the time is up. */
  begin(accountId: string, stop: () => void): (() => void) | null;
}

interface ReadingOnDeps {
  /** How long one answer is read on, in milliseconds. */
  readonly withinMs: number;
  readonly running: Pick<Running, 'draining' | 'whenDraining'>;
}

/**
 * Limits how many answers are read on, because no rate limit counts them any more, and each keeps a connection and its request in memory.
 */
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

/** Remembers which share of its last prompt each conversation had read from its provider's cache. */
interface CachedShares {
  /** From 0 to 1. */
  recall(conversation: string, modelId: string): number;
  remember(conversation: string, modelId: string, usage: TokenUsage): void;
}

/** Providers usually keep a prompt for five to ten minutes. */
const keptMs = 600_000;
const maxEntries = 10_000;

/**
 * The estimate for an answer whose client disconnected before the count came uses this share: most tokens of a long conversation cost a
 * tenth of the full price (docs/decisions/102).
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
  /** The same limit for a single attempt, unless it is the last one or its model thinks. */
  readonly attemptMs: number;
  /** The longest silence between two pieces of a stream, comments and pings included, while the gateway reads it. */
  readonly silentMs: number;
  /** From the request to the end of the answer, without the time in which the client made the upstream wait. */
  readonly totalMs: number;
  /** The same limits for a model that thinks, which may be silent for minutes. No other model is asked meanwhile. */
  readonly thinking: { readonly firstEventMs: number; readonly silentMs: number; readonly totalMs: number };
  /**
   * Each of these limits for a self-hosted server, whose operator can set another one. It may load a model and read a long prompt for
   * minutes, and while its connection lives that is no fault.
   */
  readonly ownServerMs: number;
  /** Between two renewals of a hold's lease. */
  readonly leaseMs: number;
  /** How long the gateway asks a provider what an answer cost whose client disconnected. */
  readonly providerCostMs: number;
  /** How long an answer whose client disconnected is read on for its token count. */
  readonly readOnMs: number;
}

/** The limits of wire contract §5.3.6 and §7, and of docs/decisions/049. */
export const engineTimeouts: EngineTimeouts = {
  firstEventMs: 120_000,
  attemptMs: 30_000,
  silentMs: 60_000,
  totalMs: 600_000,
  thinking: { firstEventMs: 300_000, silentMs: 300_000, totalMs: 1_800_000 },
  ownServerMs: 1_800_000,
  leaseMs: 15_000,
  providerCostMs: 10_000,
  readOnMs: 60_000,
};

export interface EngineDeps {
  readonly ledger: Ledger;
  /** The signed reasoning that providers want back and clients drop. */
  readonly reasoning: Pick<ReasoningState, 'keep' | 'recall'>;
  readonly registry: Registry;
  /** All models that may be served, including the registry's own. */
  readonly catalogue: () => Catalogue;
  readonly health: Health;
  readonly sticky: Sticky;
  readonly running: Running;
  /** Ends answers whose credential is revoked. */
  readonly credentials: Pick<CredentialWatch, 'watch'>;
  readonly leases: Leases;
  readonly providerCosts: ProviderCosts;
  readonly readingOn: ReadingOn;
  readonly cachedShares: CachedShares;
  readonly disconnectPenalties: DisconnectPenalties;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly fetch: UpstreamFetch;
  /** Whether `fetch` waits as long as a non-streaming answer may take to begin. */
  readonly isNonStreaming: boolean;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
  /** The word in front of `/router`. */
  readonly vendor: string;
  readonly timeouts: EngineTimeouts;
  /** The operator's fee for answers on a caller's own key, in basis points of their cost (§6). */
  readonly byokFeeBps: number;
}

/** The dependencies that the engine creates itself. */
type Made = 'leases' | 'disconnectPenalties' | 'providerCosts' | 'readingOn' | 'cachedShares';

/** Admits, holds, chooses, attempts and settles, with a task of its own for each answer. */
export function createEngine(given: Omit<EngineDeps, Made>): Engine {
  const { running, registry, log, now } = given;
  const { leaseMs, providerCostMs, readOnMs } = given.timeouts;
  const providerCosts = createProviderCosts({ withinMs: providerCostMs, running, log });
  const deps: EngineDeps = {
    ...given,
    providerCosts,
    readingOn: createReadingOn({ withinMs: readOnMs, running }),
    cachedShares: createCachedShares(now),
    leases: createLeases(leaseMs),
    disconnectPenalties: createDisconnectPenalties(now),
  };
  return {
    answer(request, client, sink, observer) {
      const abort = new Stop();
      const drains = (provider: string) => registry.get(provider)?.credential?.onDisconnect === 'drain';
      const delivery = new AnswerDelivery(sink, observer ?? null, abort, drains, deps.timeouts.totalMs);
      const onClient = () =>
        delivery.clientDisconnected(client.reason instanceof AppError ? client.reason : clientGone());
      const onShutdown = () => abort.abort(new AppError('shutting_down', 'The gateway is shutting down.'));
      if (client.aborted) onClient();
      if (running.stopped) onShutdown();
      client.addEventListener('abort', onClient, { once: true });
      const unlink = running.whenStopped(onShutdown);
      const unwatch = deps.credentials.watch(request.principal, (why) => abort.abort(why));
      const run = async () => {
        let failure: unknown = null;
        try {
          await answerRequest({ request, deps, signal: abort, delivery });
        } catch (error) {
          failure = error;
        }
        await delivery.end(failure);
        client.removeEventListener('abort', onClient);
        unlink();
        unwatch();
      };
      void running.track(run());
    },
  };
}

const clientGone = () => new AppError('client_closed_request', 'The client went away before the answer was complete.');

/** Renews the holds of requests for as long as they run. */
export interface Leases {
  /** Calls `renew` once in each interval until the returned function is called. */
  keep(renew: () => void): () => void;
}

/** One timer serves all requests, so a hold that begins in the middle of an interval is first renewed at its end. */
export function createLeases(intervalMs: number): Leases {
  const kept = createSlotSet<() => void>();
  let timer: NodeJS.Timeout | null = null;
  return {
    keep(renew) {
      const remove = kept.add(renew);
      timer ??= setInterval(() => {
        for (const renewHold of kept) renewHold();
      }, intervalMs);
      return () => {
        remove();
        if (kept.size > 0 || timer === null) return;
        clearInterval(timer);
        timer = null;
      };
    },
  };
}
