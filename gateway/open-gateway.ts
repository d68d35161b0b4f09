import { createOverload, createShedding } from './access/overload/overload.ts';
import { openCallers } from './composition/open-callers.ts';
import { type Foundation, openFoundation } from './composition/open-foundation.ts';
import { openHttp, vendor } from './composition/open-http.ts';
import { openModels, openRegistry, providerFor, setProvider } from './composition/open-models.ts';
import { startUpkeep } from './composition/start-upkeep.ts';
import { createEngine, createLeases, engineTimeouts } from './engine/engine.ts';
import { createKeptAnswers } from './engine/idempotency/kept-answers.ts';
import { createSealing } from './engine/idempotency/sealing.ts';
import { createReasoningState, usualKeptMs } from './engine/reasoning/reasoning-state.ts';
import type { GatewayOptions, OwnGateway } from './gateway.ts';
import { fetchExchange } from './http/fetch-exchange.ts';
import { isChat } from './http/policies.ts';
import { version } from './http/version.ts';
import { renewEveryMs } from './ledger/ledger-store.ts';
import { createPersistentLedger } from './ledger/persistent-ledger.ts';
import { aloneCluster, postgresCluster } from './operations/cluster/cluster.ts';
import { gatewayMetrics } from './operations/metrics/gateway-metrics.ts';
import { createTraffic, trafficMetrics } from './operations/metrics/traffic.ts';
import { createOperator } from './operations/operator/operator-store.ts';
import { checkCredential } from './providers/check-credential.ts';
import type { Registry } from './providers/registry.ts';
import { platformFetch, type UpstreamFetch } from './providers/upstream/upstream-response.ts';
import { createRunning } from './runtime/concurrency/running.ts';
import { getDialect } from './storage/open-database.ts';
import { awaitServingLock } from './storage/serving-lock.ts';

const checkTimeoutMs = 15_000;

/**
 * Opens a gateway over its books. Throws `invalid_input` where the key secret or the settings cannot be used,
 * `database_in_use` where another gateway serves this SQLite file, and `internal_error` where the database cannot be opened.
 * Close it to let the process end.
 */
export async function openGateway(options: GatewayOptions): Promise<OwnGateway> {
  const isFile = getDialect(options.database) === 'sqlite' && options.database !== ':memory:';
  const unlock = isFile ? await awaitServingLock(options.database) : () => {};
  try {
    const gateway = await openUnlocked(options);
    return { ...gateway, close: () => gateway.close().finally(unlock) };
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openUnlocked(options: GatewayOptions): Promise<OwnGateway> {
  const log = options.log ?? (() => {});
  const connections = options.fetch ? null : await ownConnections();
  const send = connections?.fetch ?? platformFetch(options.fetch ?? fetch);
  const upstream = { send, isNonStreaming: connections !== null, close: async () => connections?.close() };
  try {
    const registry = openRegistry({ download: connections?.download, ...options }, send, log);
    const foundation = await openFoundation(options, log);
    try {
      return await openRooms(options, foundation, registry, upstream);
    } catch (error) {
      await foundation.db.destroy();
      throw error;
    }
  } catch (error) {
    await upstream.close();
    throw error;
  }
}

interface Upstream {
  readonly send: UpstreamFetch;
  /** The platform's own waits five minutes for an answer to begin, and a whole one may take longer. */
  readonly isNonStreaming: boolean;
  close(): Promise<void>;
}

async function openRooms(
  options: GatewayOptions,
  foundation: Foundation,
  registry: Registry,
  upstream: Upstream,
): Promise<OwnGateway> {
  const { gatewayDb, db, clock, now, peppers, transact, instanceId, ledger, log } = foundation;
  const cluster = clock
    ? postgresCluster({ gatewayDb, url: options.database, instanceId, clock: options.now ?? null, log })
    : aloneCluster(now);
  const callers = await openCallers(foundation);
  const models = await openModels(foundation, options, registry, cluster);
  const { health, watch, prices } = models;
  await cluster.join({ forget: callers.credentialsChanged, health });

  const running = createRunning();
  const counted = trafficMetrics();
  const traffic = createTraffic(log, counted, options.logsAll ?? true);
  const byokFeeBps = options.byokFeeBps ?? 0;
  const sealing = createSealing(peppers);
  const keptMs = options.reasoningMs ?? usualKeptMs;
  const reasoningState = createReasoningState({ db, transact, sealing, now, keptMs });
  const timeouts = { ...engineTimeouts, leaseMs: renewEveryMs, ...options.timeouts };
  const shared = {
    ledger: traffic.watch(createPersistentLedger(ledger, now, log)),
    fetch: upstream.send,
    credentials: callers.credentials,
    running,
    log,
  };
  const engine = createEngine({
    ...shared,
    ...models,
    reasoning: reasoningState,
    isNonStreaming: upstream.isNonStreaming,
    now,
    vendor,
    byokFeeBps,
    timeouts,
  });
  const embedding = { ...shared, leases: createLeases(timeouts.leaseMs), answerMs: timeouts.firstEventMs };
  const keptAnswers = createKeptAnswers({ transact, sealing, now });
  if (foundation.isAlone) await keptAnswers.freeRunning();

  const statements = () => gatewayDb.pool?.().waiting ?? 0;
  const overload = createOverload({ statements, limits: options.workLimits ?? {} });
  const shedding = createShedding({ overload, count: counted.request, log });
  let retired = false;
  const { app, answerChat } = openHttp({
    foundation,
    callers,
    models,
    cluster,
    engine,
    keptAnswers,
    reasoningState,
    byokFeeBps,
    overload,
    embedding,
    draining: () => running.draining,
    leaving: () => retired || running.draining,
    log: traffic.log,
  });
  const metrics = gatewayMetrics({
    traffic,
    counted,
    health,
    running,
    overload,
    cluster,
    pool: gatewayDb.pool,
    version,
  });
  const endUpkeep = startUpkeep(foundation, options, { keptAnswers, reasoningState, cluster, prices });

  return {
    answerChat,
    shed: shedding.shed,
    async fetch(request, door) {
      const { pathname } = new URL(request.url);
      if (!isChat(request.method, pathname)) return app.fetch(request, door);
      return fetchExchange(request, door?.address ?? null, answerChat);
    },
    operator: createOperator({
      db,
      transact,
      peppers,
      now,
      tokenNames: foundation.tokenNames,
      credentialsChanged: callers.credentialsChanged,
      pricesChanged: prices.reload,
      plans: foundation.plans,
    }),
    setProvider(id, credential) {
      setProvider(registry, id, credential);
      watch.cleared(id);
    },
    async checkProvider(id, credential, signal = AbortSignal.timeout(checkTimeoutMs)) {
      const provider = providerFor(registry, id, credential);
      await checkCredential(provider, { credential, signal, fetch: upstream.send });
      registry.keys.cleared(id, credential);
      watch.cleared(id);
    },
    refreshModels: (id) => registry.refresh(id),
    keyStates(id) {
      const credential = registry.get(id)?.credential;
      return credential ? registry.keys.getStates(credential) : [];
    },
    drain: running.drain,
    retire() {
      retired = true;
    },
    metrics: metrics.text,
    async close() {
      callers.credentials.close();
      metrics.close();
      shedding.close();
      await running.drain(0);
      await endUpkeep();
      await upstream.close();
      await cluster.close();
      await db.destroy();
    },
  };
}

/** Loaded where it is used: the app's gateway goes by the platform's `fetch`. */
async function ownConnections() {
  const { openUpstreamConnections } = await import('./providers/upstream/upstream-connections.ts');
  return openUpstreamConnections();
}
