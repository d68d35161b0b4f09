import { type Overload, shedReasons } from '../../access/overload/overload.ts';
import type { Health } from '../../engine/routing/health.ts';
import type { Running } from '../../runtime/concurrency/running.ts';
import { workerPool } from '../../runtime/threads/worker-pool.ts';
import type { OpenDatabase } from '../../storage/open-database.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { gauge, getText, type Metric } from './metric-registry.ts';
import { processMetrics } from './process-metrics.ts';
import type { Traffic, TrafficMetrics } from './traffic.ts';

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

/** Everything an operator can watch, as Prometheus reads it. Nothing is measured until it is asked for the first time. */
export function gatewayMetrics(deps: GatewayMetricsDeps) {
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
  const of = (model: string) => health.of(model);
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
      health.known().map((model) => ({ labels: { model }, value: circuitValue[of(model).circuit] })),
    ),
    gauge('portico_cooling_down', '1 while a model waits for the end of a rate limit.', () =>
      health.known().map((model) => ({ labels: { model }, value: Number(of(model).coolingDown) })),
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
