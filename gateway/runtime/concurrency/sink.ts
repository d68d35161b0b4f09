/** Takes values as they come. */
export interface Sink<T> {
  /** A promise where the writer shall wait before the next one. */
  value(value: T): Promise<void> | undefined;
  end(): void;
  fail(error: unknown): void;
}
