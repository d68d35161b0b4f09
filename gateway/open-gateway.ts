import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import { createOverload, createShedding, type Overload, shedReasons } from './access/overload/overload.ts';
import { openCallers } from './composition/open-callers.ts';
import { type Foundation, openFoundation } from './composition/open-foundation.ts';
import { openHttp, vendor } from './composition/open-http.ts';
import { openModels, openRegistry, providerFor, setProvider } from './composition/open-models.ts';
import { startUpkeep } from './composition/start-upkeep.ts';
import { createEngine, createLeases, engineTimeouts } from './engine/engine.ts';
import { createKeptAnswers } from './engine/idempotency/kept-answers.ts';
import { createSealing } from './engine/idempotency/sealing.ts';
import { createReasoningState, usualKeptMs } from './engine/reasoning/reasoning-state.ts';
import type { Health } from './engine/routing/health.ts';
import type { GatewayOptions, OwnGateway } from './gateway.ts';
import type { AnswerWriter, HeaderFields, HttpExchange } from './http/exchange.ts';
import { isChat } from './http/policies.ts';
import { getBody } from './http/read-body.ts';
import { version } from './http/version.ts';
import type { Ledger } from './ledger/ledger.ts';
import { renewEveryMs } from './ledger/ledger-store.ts';
import { aloneCluster, type Cluster, postgresCluster } from './operations/cluster/cluster.ts';
import { gauge, getText, type Metric } from './operations/metrics/metric-registry.ts';
import { processMetrics } from './operations/metrics/process-metrics.ts';
import { createTraffic, type Traffic, type TrafficMetrics, trafficMetrics } from './operations/metrics/traffic.ts';
import { createOperator } from './operations/operator/operator-store.ts';
import { checkCredential } from './providers/check-credential.ts';
import type { Registry } from './providers/registry.ts';
import { platformFetch, type UpstreamFetch } from './providers/upstream/upstream-response.ts';
import { createRunning, type Running } from './runtime/concurrency/running.ts';
import { Stop } from './runtime/concurrency/stop-signal.ts';
import { workerPool } from './runtime/threads/worker-pool.ts';
import { databaseFault, isConnectionLoss } from './storage/connection-loss.ts';
import { getDialect, type OpenDatabase } from './storage/open-database.ts';
import { awaitServingLock } from './storage/serving-lock.ts';
import { WriteAheadLogFault } from './storage/write-ahead-log-fault.ts';

interface GatewayMetricsDeps {
  readonly traffic: Traffic;
  readonly counted: TrafficMetrics;
  readonly health: Health;
  readonly running: Running;
  readonly overload: Overload;
  readonly cluster: Cluster;
  readonly pool: OpenDatabase['pool'];
  readonly version: string;
}

/** All metrics for an operator in Prometheus' format. Nothing is measured before the first read. */
function gatewayMetrics(deps: GatewayMetricsDeps) {
  const shed = shedCounter(deps.overload);
  let process: ReturnType<typeof processMetrics> | null = null;
  const stated = states(deps);
  return {
    text(): string {
      process ??= processMetrics();
      return getText([...deps.counted.metrics, ...stated, shed, ...process.metrics]);
    },
    close: () => process?.close(),
  };
}

function states({ traffic, health, running, overload, cluster, pool, version }: GatewayMetricsDeps): Metric[] {
  const getHealth = (model: string) => health.of(model);
  return [
    gauge('portico_info', 'The version that runs.', () => [{ labels: { version }, value: 1 }]),
    gauge('portico_draining', '1 while no new requests are taken.', () => Number(running.draining)),
    gauge('portico_open_holds', 'Chat requests whose books are open.', () => traffic.openHolds),
    gauge('portico_open_streams', 'Answers that are being streamed.', () => traffic.openStreams),
    gauge('portico_waiting_requests', 'Chat requests that wait for their turn, unread.', () => overload.waiting),
    gauge(
      'portico_body_bytes',
      'Memory of large bodies, from their arrival to the end of their answers.',
      () => overload.bodyBytes,
    ),
    gauge('portico_worker_tasks', 'Work on large bodies: on threads, and waiting for one.', () => [
      { labels: { state: 'running' }, value: workerPool.running },
      { labels: { state: 'waiting' }, value: workerPool.waiting },
    ]),
    gauge('portico_circuit_open', '1 while a model is avoided because it failed; 0.5 while one probe decides.', () =>
      health.known().map((model) => ({ labels: { model }, value: circuitValue[getHealth(model).circuit] })),
    ),
    gauge('portico_cooling_down', '1 while a model waits for the end of a rate limit.', () =>
      health.known().map((model) => ({ labels: { model }, value: Number(getHealth(model).coolingDown) })),
    ),
    gauge('portico_notifications_up', '1 while changes by other instances are heard.', () =>
      cluster.listening === null ? [] : [{ value: Number(cluster.listening) }],
    ),
    gauge('portico_database_connections', 'Connections to the database, and statements that wait for one.', () =>
      pool ? Object.entries(pool()).map(([state, value]) => ({ labels: { state }, value })) : [],
    ),
  ];
}

const circuitValue = { closed: 0, half_open: 0.5, open: 1 } as const;

const shedCounter = (overload: Overload): Metric => ({
  name: 'portico_shed_requests_total',
  help: 'Requests refused with 503 because there was too much to do.',
  type: 'counter',
  samples: () => shedReasons.map((reason) => ({ labels: { reason }, value: overload.shed(reason) })),
});

/** How long a reader in this process may take nothing while something waits for it. */
const readerStallMs = 60_000;
/** How many bytes may wait for a reader before the writer has to wait. */
const waitingBytes = 65_536;

/** Answers a platform `Request` through an exchange. Resolves with the answer's head; its body may still be under way. */
export function fetchExchange(
  request: Request,
  address: string | null,
  receive: (exchange: HttpExchange) => Promise<void>,
  stallMs = readerStallMs,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const client = new Stop();
    const onDisconnect = () => client.abort(clientGone());
    if (request.signal.aborted) onDisconnect();
    request.signal.addEventListener('abort', onDisconnect, { once: true });
    const { pathname, search } = new URL(request.url);
    const exchange: HttpExchange = {
      method: request.method,
      target: `${pathname}${search}`,
      address,
      client,
      ...getBody(request),
      send: (status, headers, text) => resolve(new Response(text, { status, headers: { ...headers } })),
      open: (status, headers) => opened(status, headers, client, stallMs, resolve),
      destroy: () => reject(new Error('the answer was broken off')),
    };
    receive(exchange).catch(reject);
  });
}

function opened(
  status: number,
  headers: HeaderFields,
  client: Stop,
  stallMs: number,
  resolve: (response: Response) => void,
): AnswerWriter {
  const encoder = new TextEncoder();
  let over = false;
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let wake: (() => void) | null = null;
  let late: NodeJS.Timeout | undefined;
  const goOn = () => {
    clearTimeout(late);
    wake?.();
    wake = null;
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      pull: goOn,
      cancel() {
        over = true;
        client.abort(clientGone());
        goOn();
      },
    },
    { highWaterMark: waitingBytes, size: (chunk) => chunk?.byteLength ?? 0 },
  );
  resolve(new Response(body, { status, headers: { ...headers } }));

  function untilTaken(): Promise<void> {
    return new Promise((done) => {
      wake = done;
      late = setTimeout(() => {
        client.abort(tookNothing());
        goOn();
      }, stallMs);
    });
  }

  return {
    write(text) {
      if (over) return undefined;
      controller?.enqueue(encoder.encode(text));
      return (controller?.desiredSize ?? 1) > 0 ? undefined : untilTaken();
    },
    end() {
      if (over) return;
      over = true;
      controller?.close();
    },
  };
}

const clientGone = () => new AppError('client_closed_request', 'The client went away before its answer was complete.');

const tookNothing = () =>
  new AppError('client_closed_request', 'The client took nothing of its answer for so long that it was ended.');

/** A caller waits for the hold and its extensions. Nobody waits for the settlement, so it is repeated for longer. */
const patience = { holdMs: 5_000, settleMs: 60_000 } as const;
const firstPauseMs = 50;
const maxPauseMs = 1_000;

/**
 * Repeats commands of the ledger when its database was away for a moment. After a lost connection it is not known whether a command was
 * committed; repeating it changes nothing.
 */
function createPersistentLedger(
  ledger: Ledger,
  now: () => number,
  log: (entry: Readonly<Record<string, unknown>>) => void,
): Ledger {
  /** `ask` must not throw. `asked`: its first answer, if it was asked already. */
  function persist<T>(command: string, patienceMs: number, ask: () => Promise<T>, asked = ask()): Promise<T> {
    const giveUpAt = now() + patienceMs;
    const again = async (error: unknown, pause: number): Promise<T> => {
      const passes = isConnectionLoss(error) || (error instanceof WriteAheadLogFault && command === 'settle');
      if (!passes || now() + pause > giveUpAt) throw databaseFault(error);
      log({ event: 'ledger_command_repeated', command, cause: String(error) });
      await delay(pause);
      return ask().catch((next: unknown) => again(next, Math.min(pause * 2, maxPauseMs)));
    };
    return asked.catch((error: unknown) => again(error, firstPauseMs));
  }

  return {
    decide(request) {
      const held = ledger.decide(request);
      if (!(held instanceof Promise)) return held;
      return persist('hold', patience.holdMs, async () => ledger.decide(request), held);
    },
    extend: (requestId, to, model) => persist('extend', patience.holdMs, () => ledger.extend(requestId, to, model)),
    renew: (requestId) => persist('renew', patience.holdMs, () => ledger.renew(requestId)),
    settle: (settlement) => persist('settle', patience.settleMs, () => ledger.settle(settlement)),
  };
}

const checkTimeoutMs = 15_000;

/**
 * Opens a gateway. Throws `invalid_input` when the key secret or the settings cannot be used, `database_in_use` when another gateway serves
 * this SQLite file, and `internal_error` when the database cannot be opened. Close it to let the process end.
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
  /** The platform's `fetch` waits five minutes for an answer to begin, and a non-streaming one may take longer. */
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
    isRetiring: () => retired || running.draining,
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

/** Loaded only when it is used: the app's gateway uses the platform's `fetch`. */
async function ownConnections() {
  const { openUpstreamConnections } = await import('./providers/upstream/upstream-connections.ts');
  return openUpstreamConnections();
}
