import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
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
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const started = Math.round(Date.now() / 1000 - process.uptime());
  return {
    metrics: [
      {
        ...{ name: 'process_cpu_seconds_total', help: 'CPU time, user and system.', type: 'counter' },
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
        const lag = delay.percentile(99) / 1e9;
        delay.reset();
        return Number.isFinite(lag) ? lag : 0;
      }),
    ],
    close: () => void delay.disable(),
  };
}
