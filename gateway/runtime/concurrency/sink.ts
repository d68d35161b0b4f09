/**
 * The platform's streams and async iterators need several promises for each piece that arrives. With this interface the socket's
 * own turn calls the receiver directly, and a promise exists only when the receiver is full (decision 020). To check: `npm run
 * bench -- --only calls` counts the calls of a stream.
 */

/** Receives values as they arrive. */
export interface Sink<T> {
  /** Returns a promise if the writer must wait before the next value. */
  value(value: T): Promise<void> | undefined;
  end(): void;
  fail(error: unknown): void;
}
