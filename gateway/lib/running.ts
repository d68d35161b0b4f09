import { Stop, type StopSignal } from './stop-signal.ts';

/** Counts work that must end before the process may, whoever started it. */
export interface Running {
  /** Aborts when waiting is over: whatever still runs must settle and end. */
  readonly signal: StopSignal;
  readonly draining: boolean;
  /** How much work runs. */
  readonly count: number;
  /** Keeps the drain waiting until this promise is settled. Returns it. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Waits for all work; after `timeoutMs` aborts `signal` and waits for what that ends. */
  drain(timeoutMs: number): Promise<void>;
}

export function createRunning(): Running {
  const work = new Set<Promise<unknown>>();
  const abort = new Stop();
  let draining = false;

  async function untilIdle() {
    while (work.size > 0) await Promise.allSettled(work);
  }

  return {
    signal: abort,
    get draining() {
      return draining;
    },
    get count() {
      return work.size;
    },
    track(promise) {
      work.add(promise);
      const done = () => void work.delete(promise);
      promise.then(done, done);
      return promise;
    },
    async drain(timeoutMs) {
      draining = true;
      const timer = setTimeout(() => abort.abort(new Error('waiting is over')), timeoutMs);
      await untilIdle();
      clearTimeout(timer);
    },
  };
}
