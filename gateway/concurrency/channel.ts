import type { StopSignal } from './stop-signal.ts';

/**
 * Hands values from one task to one reader, holding few of them: a reader that stops reading stops the
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

export interface ChannelOptions<T> {
  /** What a value counts towards the capacity; 1 where nothing is said. */
  readonly weigh?: (value: T) => number;
  /**
   * What is to happen once a reader has kept the writer waiting for `afterMs` without taking anything by `next`. A sink has to
   * look after its reader by itself.
   */
  readonly stalled?: { readonly afterMs: number; readonly tell: () => void };
}

/** A channel whose writer waits as soon as more than `capacity` is in it. */
export function createChannel<T>(
  capacity: number,
  signal: StopSignal,
  { weigh = () => 1, stalled }: ChannelOptions<T> = {},
): Channel<T> {
  const values: T[] = [];
  let weight = 0;
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
    const timer = stalled && setTimeout(() => sink || stalled.tell(), stalled.afterMs);
    while (weight > capacity && !signal.aborted) {
      await new Promise<void>((resolve) => {
        wakeWriter = resolve;
      });
      timer?.refresh();
    }
    clearTimeout(timer);
    signal.throwIfAborted();
  }

  return {
    push(value) {
      if (sink) return sink.value(value);
      values.push(value);
      weight += weigh(value);
      wake();
      return weight > capacity ? room() : undefined;
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
      weight = 0;
      const waits = values.splice(0).map((value) => given.value(value));
      void Promise.all(waits).then(wakeAll);
      if (ending === 'done') given.end();
      else if (ending) given.fail(ending.error);
    },
    async next() {
      for (;;) {
        const value = values.shift();
        if (value !== undefined) {
          weight -= weigh(value);
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
