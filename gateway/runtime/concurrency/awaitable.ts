/** What may be there at once: then nobody waits for a turn of the microtask queue. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value as soon as it is there. */
export const andThen = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);
