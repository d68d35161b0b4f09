import type { MaybePromise } from '../../runtime/concurrency/awaitable.ts';

/** How much of a window is left. Times in milliseconds. */
export interface WindowState {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the complete limit is free again. */
  readonly resetMs: number;
}

export interface Admission extends WindowState {
  readonly admitted: true;
  /** Corrects the reserved cost to the real cost. */
  settle(cost: number): MaybePromise<void>;
}

export interface Refusal extends WindowState {
  readonly admitted: false;
  /** After this wait the same cost is admitted if nothing else is taken meanwhile. At most a minute. */
  readonly retryAfterMs: number;
}

/** Ends a running request. Only the first call counts, and no call fails. */
export type ReleasePlace = () => MaybePromise<void>;

/**
 * Counts rates and running requests: in memory for one process, in PostgreSQL for several instances that share their limits. A key names a
 * counter.
 */
export interface LimitStore {
  /** Takes a cost from the window of the last minute if the limit allows it. */
  take(key: string, limit: number, cost: number): MaybePromise<Admission | Refusal>;
  /** Counts one more running request if fewer than the limit run. Returns the function that ends it, or null when it may not begin. */
  enter(key: string, limit: number): MaybePromise<ReleasePlace | null>;
}
