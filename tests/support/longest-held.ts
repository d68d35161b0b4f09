import { onTestFinished } from 'vitest';

/**
 * The longest that this thread works between two looks, in milliseconds of its processor: so long does whatever else it
 * serves wait. What other threads and processes take does not count.
 */
export function maxHeld(): () => number {
  let before = worked();
  let longest = 0;
  const look = () => {
    const now = worked();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(look, 2);
  onTestFinished(() => clearInterval(timer));
  return () => {
    look();
    return longest;
  };
}

function worked(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
