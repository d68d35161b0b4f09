import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gauge, type Metric } from './metric-registry.ts';

type IntervalHistogram = ReturnType<typeof monitorEventLoopDelay>;

/** How late the event loop was, in seconds: the maximum and the 99th percentile. */
interface Delay {
  readonly max: number;
  readonly p99: number;
}

interface EventLoopDelay {
  /** The delay since the last call. */
  sinceLast(): Delay;
  /** The delay of the last minute, independent of who reads it and how often: the highest values of its six parts. */
  lastMinute(): Delay;
  close(): void;
}

const partMs = 10_000;
const parts = 6;
const resolution = 20;

/** Measures this thread's event loop until it's closed. */
function watchEventLoop(): EventLoopDelay {
  const sinceRead = monitorEventLoopDelay({ resolution });
  const part = monitorEventLoopDelay({ resolution });
  sinceRead.enable();
  part.enable();
  let ended: readonly Delay[] = [];
  const timer = setInterval(() => {
    ended = [...ended, getRead(part)].slice(1 - parts);
    part.reset();
  }, partMs).unref();

  return {
    sinceLast() {
      const delay = getRead(sinceRead);
      sinceRead.reset();
      return delay;
    },
    lastMinute() {
      const all = [...ended, getRead(part)];
      return { max: Math.max(...all.map(({ max }) => max)), p99: Math.max(...all.map(({ p99 }) => p99)) };
    },
    close() {
      clearInterval(timer);
      sinceRead.disable();
      part.disable();
    },
  };
}

const getRead = (monitor: IntervalHistogram): Delay =>
  monitor.count === 0 ? { max: 0, p99: 0 } : { max: late(monitor.max), p99: late(monitor.percentile(99)) };

/** The monitor reports the nanoseconds between two ticks. What exceeds the planned interval is the delay. */
const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolution / 1e3);

const openFiles = () => {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    // Only Linux has this folder.
    return Number.NaN;
  }
};

/** Uses the metric names that Prometheus dashboards expect. Close it to stop measuring the event loop. */
export function processMetrics(): { readonly metrics: readonly Metric[]; close(): void } {
  const loop = watchEventLoop();
  // Both values cover the same time, since the last scrape, which reads them in this order.
  let seen: Delay = { max: 0, p99: 0 };
  const started = Math.round(Date.now() / 1000 - process.uptime());
  return {
    metrics: [
      {
        name: 'process_cpu_seconds_total',
        help: 'CPU time, user and system.',
        type: 'counter',
        samples() {
          const { user, system } = process.cpuUsage();
          return [{ value: (user + system) / 1e6 }];
        },
      },
      gauge('process_start_time_seconds', 'When the process started, Unix time.', () => started),
      gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss()),
      gauge('process_open_fds', 'Open files and sockets.', openFiles),
      gauge('nodejs_heap_used_bytes', 'Memory of JavaScript objects.', () => process.memoryUsage().heapUsed),
      gauge('nodejs_eventloop_lag_p99_seconds', 'How late the event loop was since the last scrape.', () => {
        seen = loop.sinceLast();
        return seen.p99;
      }),
      gauge('nodejs_eventloop_lag_max_seconds', 'How late it was at the worst since the last scrape.', () => seen.max),
      gauge('portico_eventloop_lag_seconds', 'How late the event loop was in the last minute.', () => {
        const { p99, max } = loop.lastMinute();
        return [
          { labels: { quantile: '0.99' }, value: p99 },
          { labels: { quantile: '1' }, value: max },
        ];
      }),
    ],
    close: () => loop.close(),
  };
}
