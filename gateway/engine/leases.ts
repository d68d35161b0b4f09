import { createSlotSet } from '../concurrency/slot-set.ts';

/** Something that has to give a sign of life again and again for as long as it runs. */
export interface Leases {
  /** Calls `renew` once in each interval until the function that it answers is called. */
  keep(renew: () => void): () => void;
}

/** One timer for all: what begins in the middle of an interval is first renewed at its end. */
export function createLeases(intervalMs: number): Leases {
  const kept = createSlotSet<() => void>();
  let timer: NodeJS.Timeout | null = null;
  return {
    keep(renew) {
      const leave = kept.add(renew);
      timer ??= setInterval(() => {
        for (const one of kept) one();
      }, intervalMs);
      return () => {
        leave();
        if (kept.size > 0 || timer === null) return;
        clearInterval(timer);
        timer = null;
      };
    },
  };
}
