import type { StopSignal } from './stop-signal.ts';

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
  /** Hands what waits, and from then on every value as it is pushed, straight to a sink. Nothing is read by `next` then. */
  pipe(sink: Sink<T>): void;
}

/** Takes values as they come. */
export interface Sink<T> {
  /** A promise where the writer shall wait before the next one. */
  value(value: T): Promise<void> | undefined;
  end(): void;
  fail(error: unknown): void;
}

type Ending = { readonly error: unknown } | 'done' | null;

export function createChannel<T>(capacity: number, signal: StopSignal): Channel<T> {
  const values: T[] = [];
  let ending: Ending = null;
  let sink: Sink<T> | null = null;
  let wakeReader: (() => void) | null = null;
  let wakeWriter: (() => void) | null = null;
  signal.addEventListener('abort', () => wakeWriter?.(), { once: true });

  function wakeAll(): void {
    wakeWriter?.();
    wakeWriter = null;
  }

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
      if (sink) return sink.value(value);
      values.push(value);
      wake();
      return values.length > capacity ? room() : undefined;
    },
    end() {
      ending ??= 'done';
      sink?.end();
      wake();
    },
    fail(error) {
      ending ??= { error };
      sink?.fail(error);
      wake();
    },
    pipe(given) {
      sink = given;
      const waits = values.splice(0).map((value) => given.value(value));
      void Promise.all(waits).then(wakeAll);
      if (ending === 'done') given.end();
      else if (ending) given.fail(ending.error);
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
