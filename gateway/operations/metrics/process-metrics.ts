import { readdirSync } from 'node:fs';
import { type Delay, watchEventLoop } from './event-loop-delay.ts';
import { gauge, type Metric } from './metric-registry.ts';

const openFiles = () => {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    // Only Linux has it.
    return Number.NaN;
  }
};

/** The names that dashboards for Prometheus know. Close it to stop measuring the event loop. */
export function processMetrics(): { readonly metrics: readonly Metric[]; close(): void } {
  const loop = watchEventLoop();
  // Both are of the same time: since the last scrape, which reads them in this order.
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
