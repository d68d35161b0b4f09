const minMs = 1_000;
const maxMs = 30_000;

/**
 * What those who are refused are told to wait, in milliseconds: at least a second, and so that they come back one after
 * another, `paceMs` apart, at random places of the time that takes. The more of them there are, the longer the time.
 */
export function createRetryWait(now: () => number, random: () => number = Math.random) {
  let until = 0;
  return (paceMs: number): number => {
    const at = now();
    until = Math.min(Math.max(until, at + minMs) + paceMs, at + maxMs - minMs);
    return Math.round(minMs + random() * (until - at));
  };
}
