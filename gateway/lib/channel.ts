/**
 * Hands values from one task to one reader, holding at most `capacity` of them: a reader that stops reading stops the
 * writer. The two have separate lives: what the reader does never cancels the writer's clean-up.
 */
export interface Channel<T> {
  /** Undefined where there was room; else a promise that waits for it and rejects with the signal's reason on abort. */
  push(value: T): Promise<void> | undefined;
  end(): void;
  fail(error: unknown): void;
  /** The next value, or `done`; throws what the writer failed with after all values before it. */
  next(): Promise<IteratorResult<T, undefined>>;
}

type Ending = { readonly error: unknown } | 'done' | null;

export function createChannel<T>(capacity: number, signal: AbortSignal): Channel<T> {
  const values: T[] = [];
  let ending: Ending = null;
  let wakeReader: (() => void) | null = null;
  let wakeWriter: (() => void) | null = null;
  signal.addEventListener('abort', () => wakeWriter?.(), { once: true });

  function wake(): void {
    wakeReader?.();
    wakeReader = null;
  }

  async function room(): Promise<void> {
    while (values.length > capacity && !signal.aborted) {
      await new Promise<void>((resolve) => {
        wakeWriter = resolve;
      });
    }
    signal.throwIfAborted();
  }

  return {
    push(value) {
      values.push(value);
      wake();
      return values.length > capacity ? room() : undefined;
    },
    end() {
      ending ??= 'done';
      wake();
    },
    fail(error) {
      ending ??= { error };
      wake();
    },
    async next() {
      for (;;) {
        const value = values.shift();
        if (value !== undefined) {
          wakeWriter?.();
          wakeWriter = null;
          return { done: false, value };
        }
        if (ending === 'done') return { done: true, value: undefined };
        if (ending) throw ending.error;
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
      }
    },
  };
}
