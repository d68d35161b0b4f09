import { onTestFinished } from 'vitest';

/**
 * From this many milliseconds of processor time on, a thread counts as blocked. Work that is not split takes several seconds; a
 * slow machine and garbage collection may stretch what is split to half of this.
 */
export const blockedMs = 1_000;

/**
 * Measures the longest time that this thread works without a break, in milliseconds of processor time. Everything else
 * that the thread serves waits that long. Time of other threads and processes doesn't count.
 */
export function maxHeld(): () => number {
  let before = worked();
  let longest = 0;
  const measure = () => {
    const now = worked();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(measure, 2);
  onTestFinished(() => clearInterval(timer));
  return () => {
    measure();
    return longest;
  };
}

function worked(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
