import { runBounded, type ThreadLimits, type ThreadOutcome } from './bounded-thread.ts';

/** Runs a program on a thread for each input, a few at once; others wait. Rejects with the signal's reason. */
export type BoundedThreads<Input, Value> = (input: Input, signal: AbortSignal) => Promise<ThreadOutcome<Value>>;

/** `file` is the program, built or as source. `getLimits` returns the limits of the thread for an input. */
export function boundedThreads<Input extends { readonly bytes: Uint8Array<ArrayBuffer> }, Value>(
  file: string,
  getLimits: (input: Input) => ThreadLimits,
  maxAtOnce: number,
): BoundedThreads<Input, Value> {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function takeSlot(signal: AbortSignal): Promise<void> {
    if (running < maxAtOnce) {
      running += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      const index = waiting.indexOf(resolve);
      if (index >= 0) waiting.splice(index, 1);
      reject(signal.reason);
    };
    waiting.push(resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  /** Passes the slot to the next waiter. */
  function releaseSlot(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  return async (input, signal) => {
    signal.throwIfAborted();
    await takeSlot(signal);
    try {
      return await runBounded<Value>(file, input, getLimits(input), signal);
    } finally {
      releaseSlot();
    }
  };
}
