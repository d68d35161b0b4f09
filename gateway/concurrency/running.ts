import { createSlotSet } from './slot-set.ts';

/** Counts work that must end before the process may, whoever started it. */
export interface Running {
  /** Waiting is over: whatever still runs must settle and end. */
  readonly stopped: boolean;
  /** Calls a listener once when that comes, until the function that it answers is called. */
  whenStopped(listener: () => void): () => void;
  readonly draining: boolean;
  /** How much work runs. */
  readonly count: number;
  /** Keeps the drain waiting until this promise is settled. Returns it. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Waits for all work; after `timeoutMs` stops what still runs and waits for its end. */
  drain(timeoutMs: number): Promise<void>;
}

export function createRunning(): Running {
  const work = createSlotSet<Promise<unknown>>();
  const listeners = createSlotSet<() => void>();
  let draining = false;
  let stopped = false;

  function stop() {
    if (stopped) return;
    stopped = true;
    for (const listener of listeners) listener();
  }

  async function untilIdle() {
    while (work.size > 0) await Promise.allSettled(work);
  }

  return {
    get stopped() {
      return stopped;
    },
    whenStopped: listeners.add,
    get draining() {
      return draining;
    },
    get count() {
      return work.size;
    },
    track(promise) {
      const done = work.add(promise);
      promise.then(done, done);
      return promise;
    },
    async drain(timeoutMs) {
      draining = true;
      const timer = setTimeout(stop, timeoutMs);
      await untilIdle();
      clearTimeout(timer);
    },
  };
}
