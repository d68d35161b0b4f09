import { onTestFinished } from 'vitest';

const mib = 1_048_576;

/** How much memory of the process was taken at most beyond what it has now, in MB. */
export function memoryTaken(): () => number {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 10);
  onTestFinished(() => clearInterval(timer));
  return () => (Math.max(most, process.memoryUsage.rss()) - before) / mib;
}
