import { Worker } from 'node:worker_threads';

export interface ThreadLimits {
  /** Counted from when the thread runs. */
  readonly timeMs: number;
  /** A thread that needs more is terminated: of its heap, or with its buffers, which no limit of the heap counts. */
  readonly memoryMb: number;
}

/**
 * How often the memory of the process is looked at, in milliseconds: a gigabyte takes some hundred to fill. What one thread has outside of
 * its heap is not told by every Node that the app runs on.
 */
const lookEveryMs = 20;
/** What the heap has besides, and other work of the process meanwhile. */
const slackMb = 384;

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
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<ThreadOutcome<Value>>();
  let timer: NodeJS.Timeout | undefined;
  let look: NodeJS.Timeout | undefined;
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  worker.on('online', () => {
    timer = setTimeout(resolve, timeMs, { ended: 'time' });
    const most = process.memoryUsage.rss() + (memoryMb + slackMb) * 2 ** 20;
    look = setInterval(() => {
      if (process.memoryUsage.rss() > most) resolve({ ended: 'memory' });
    }, lookEveryMs);
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
    clearInterval(look);
    signal.removeEventListener('abort', onAbort);
    void worker.terminate();
  });
}
