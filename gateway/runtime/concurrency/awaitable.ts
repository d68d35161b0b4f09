/**
 * The platform has promises and `await`, which always take a turn of the microtask queue, and an `async` function that waits
 * keeps about half a kilobyte alive (decision 046). Most steps of a request have their value at once. With these two a step can
 * return the value itself and only return a promise when it has to wait. To check: `npm run bench -- --only calls` counts the
 * calls of a request.
 */

/** A value that may be there already. */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` with the value, at once if it isn't a promise. */
export const andThen = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);
