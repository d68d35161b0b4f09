import { Worker } from 'node:worker_threads';

export interface ThreadLimits {
  /** Counted from when the thread runs. */
  readonly timeMs: number;
  /**
   * How much the process may grow while the thread runs, by heap and buffers alike; then the thread is terminated. Not every Node that the
   * app runs on measures one thread, so other work of the process counts too.
   */
  readonly memoryMb: number;
}

/** A thread takes some hundred milliseconds to fill a gigabyte. */
const memoryCheckMs = 20;
/**
 * V8's own limit is to be met by nobody: where a single list or table passes it, V8 ends the whole process and not the thread alone. So it
 * lies this far above what the check allows: the largest table that V8 makes, and what is filled between two looks.
 */
const heapRoomMb = 2_048;

/** The program’s result, or the limit that ended it. */
export type ThreadOutcome<Value> = { readonly value: Value } | { readonly ended: 'time' | 'memory' };

/**
 * Runs a program on a thread of its own for one answer, and ends the thread: by the answer, by a limit, or by the signal,
 * whose reason is thrown. What the program is at cannot hold it: a loop, a regular expression or a heap without end go with
 * the thread. The program reads `workerData` and posts `{ value }` or `{ error }`. `bytes` move to the thread; whoever gave
 * them has them no longer.
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
    resourceLimits: { maxOldGenerationSizeMb: memoryMb + heapRoomMb, maxYoungGenerationSizeMb: 32 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<ThreadOutcome<Value>>();
  let timer: NodeJS.Timeout | undefined;
  let memoryCheck: NodeJS.Timeout | undefined;
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  worker.on('online', () => {
    timer = setTimeout(resolve, timeMs, { ended: 'time' });
    const maxBytes = process.memoryUsage.rss() + memoryMb * 2 ** 20;
    memoryCheck = setInterval(() => {
      if (process.memoryUsage.rss() > maxBytes) resolve({ ended: 'memory' });
    }, memoryCheckMs);
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
    clearInterval(memoryCheck);
    signal.removeEventListener('abort', onAbort);
    void worker.terminate();
  });
}
