import type { MaybePromise } from '../../runtime/concurrency/awaitable.ts';

/** How much of a window is left. Times in milliseconds. */
export interface WindowState {
  readonly limit: number;
  readonly remaining: number;
  /** Until the whole limit is free again. */
  readonly resetMs: number;
}

export interface Admission extends WindowState {
  readonly admitted: true;
  /** Corrects what was taken to what it truly was. */
  settle(cost: number): MaybePromise<void>;
}

export interface Refusal extends WindowState {
  readonly admitted: false;
  /** After this wait the same cost is admitted if nothing else is taken: at most a minute. */
  readonly retryAfterMs: number;
}

/** Gives a place back. Only the first call does; none of them fails. */
export type Leave = () => MaybePromise<void>;

/**
 * Where rates and running requests are counted: in memory for one process; in PostgreSQL for several instances that
 * share their limits. Keys name a counter, whatever it counts.
 */
export interface LimitStore {
  /** Takes a cost from the window of the last minute where the limit allows it. */
  take(key: string, limit: number, cost: number): MaybePromise<Admission | Refusal>;
  /** Counts one more that runs, where fewer than the limit do. The answer ends it; null where it may not begin. */
  enter(key: string, limit: number): MaybePromise<Leave | null>;
}
