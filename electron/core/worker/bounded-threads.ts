import { runBounded, type ThreadLimits, type ThreadOutcome } from './bounded-thread.ts';

/** Runs a program on a thread for each input, a few at once; others wait. Rejects with the reason of the signal. */
export type BoundedThreads<Input, Value> = (input: Input, signal: AbortSignal) => Promise<ThreadOutcome<Value>>;

/** `file`: the program, built or as source; `getLimits`: those of the thread for an input. */
export function boundedThreads<Input extends { readonly bytes: Uint8Array<ArrayBuffer> }, Value>(
  file: string,
  getLimits: (input: Input) => ThreadLimits,
  maxAtOnce: number,
): BoundedThreads<Input, Value> {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function turn(signal: AbortSignal): Promise<void> {
    if (running < maxAtOnce) {
      running += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      const at = waiting.indexOf(resolve);
      if (at >= 0) waiting.splice(at, 1);
      reject(signal.reason);
    };
    waiting.push(resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  /** Passes the slot to the next waiter. */
  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  return async (input, signal) => {
    signal.throwIfAborted();
    await turn(signal);
    try {
      return await runBounded<Value>(file, input, getLimits(input), signal);
    } finally {
      leave();
    }
  };
}
