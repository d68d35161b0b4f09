/** Counts work that must end before the process may, whoever started it. */
export interface Running {
  /** Waiting is over: whatever still runs must settle and end. */
  readonly stopped: boolean;
  /** Calls a listener once when that comes, until the function that it answers is called. */
  whenStopped(listener: () => void): () => void;
  readonly draining: boolean;
  /** The same when it begins. */
  whenDraining(listener: () => void): () => void;
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
  const hurried = createSlotSet<() => void>();
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
    whenDraining: hurried.add,
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
      for (const listener of hurried) listener();
      const timer = setTimeout(stop, timeoutMs);
      await untilIdle();
      clearTimeout(timer);
    },
  };
}

/** Who is present at this moment: many come and go, in any order. */
interface SlotSet<T> extends Iterable<T> {
  /** Returns what takes it off again; called twice it does nothing. */
  add(one: T): () => void;
  readonly size: number;
}

/**
 * Places in an array, given to the next one when they are free. A `Set` that much comes and goes through makes itself a new
 * table every few dozen times; the old ones keep what was in them, and once one of them has outlived two young collections,
 * all that ever passed through is copied into the old heap, with everything it refers to.
 */
export function createSlotSet<T>(): SlotSet<T> {
  const places: (T | null)[] = [];
  const free: number[] = [];
  let size = 0;
  return {
    add(one) {
      const place = free.pop() ?? places.length;
      places[place] = one;
      size += 1;
      let present = true;
      return () => {
        if (!present) return;
        present = false;
        places[place] = null;
        free.push(place);
        size -= 1;
      };
    },
    get size() {
      return size;
    },
    *[Symbol.iterator]() {
      for (const one of places) if (one !== null && one !== undefined) yield one;
    },
  };
}
