import { Worker } from 'node:worker_threads';
import { watchedHeap, watchMemory } from './watch-memory.ts';

export interface ThreadLimits {
  /** Counted from when the thread starts running. */
  readonly timeMs: number;
  /** How much the thread may let the process grow before it is terminated. */
  readonly memoryMb: number;
}

/** The program's result, or the limit that ended it. */
export type ThreadOutcome<Value> = { readonly value: Value } | { readonly ended: 'time' | 'memory' };

/**
 * Runs a program on a thread of its own for one result, and then ends the thread. It also ends at a limit, or when the
 * signal aborts, whose reason is thrown. Whatever the program does, an endless loop, regular expression or heap ends
 * with the thread. The program reads `workerData` and posts `{ value }` or `{ error }`. `bytes` are transferred, so the
 * caller can't use them any more.
 */
export function runBounded<Value>(
  file: string,
  input: { readonly bytes: Uint8Array<ArrayBuffer> },
  { timeMs, memoryMb }: ThreadLimits,
  signal: AbortSignal,
): Promise<ThreadOutcome<Value>> {
  signal.throwIfAborted();
  const worker = new Worker(file, {
    workerData: input,
    transferList: [input.bytes.buffer],
    resourceLimits: watchedHeap(memoryMb),
  });
  const { promise, resolve, reject } = Promise.withResolvers<ThreadOutcome<Value>>();
  let timer: NodeJS.Timeout | undefined;
  let endWatch: (() => void) | undefined;
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  worker.on('online', () => {
    timer = setTimeout(resolve, timeMs, { ended: 'time' });
    endWatch = watchMemory(worker, memoryMb, () => resolve({ ended: 'memory' }));
  });
  worker.on('message', ({ value, error }: { value: Value; error?: unknown }) =>
    error === undefined ? resolve({ value }) : reject(error),
  );
  worker.on('error', (error: NodeJS.ErrnoException) =>
    error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve({ ended: 'memory' }) : reject(error),
  );
  worker.on('exit', () => reject(new Error('the thread ended without an answer')));
  return promise.finally(() => {
    clearTimeout(timer);
    endWatch?.();
    signal.removeEventListener('abort', onAbort);
    void worker.terminate();
  });
}
