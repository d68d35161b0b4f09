import { onTestFinished } from 'vitest';

const mib = 1_048_576;

/** Measures the peak memory of the process above what it uses now, in MB. */
export function memoryTaken(): () => number {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 10);
  onTestFinished(() => clearInterval(timer));
  return () => (Math.max(peak, process.memoryUsage.rss()) - before) / mib;
}
