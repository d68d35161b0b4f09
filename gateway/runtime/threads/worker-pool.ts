import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type TransferListItem, Worker } from 'node:worker_threads';
import { AppError } from '#shared/errors.ts';
import { givenAway } from '../body/body-blocks.ts';
import { createFairQueue } from '../concurrency/fair-queue.ts';
import { receivedError, type TransferredError } from './transferred-error.ts';
import type { WorkerTask } from './worker-task.ts';

/** Threads for what would hold the event loop: large bodies are read, checked and written there. */
export interface WorkerPool {
  /**
   * Runs a task as soon as a thread is free, in fair order over the accounts, small ones first. `blocks` are given away:
   * nobody here may use them again. Rejects with what the task threw, and with 503 `server_overloaded` where it took too long
   * or its thread died.
   */
  run<Input, Output>(
    task: WorkerTask<Input, Output>,
    input: Input,
    blocks?: readonly Uint8Array[],
    /** Whose task it is, and how many bytes it works on besides its blocks. */
    share?: TaskShare,
  ): Promise<Output>;
  /** Tasks that run now, and those that wait for a thread. */
  readonly running: number;
  readonly waiting: number;
}

export interface TaskShare {
  readonly account?: string;
  readonly bytes?: number;
}

interface Job {
  readonly message: { readonly task: string; readonly input: unknown };
  readonly given: readonly TransferListItem[];
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface PoolThread {
  readonly worker: Worker;
  /** It takes no huge tasks. */
  readonly isForSmall: boolean;
  job: Job | null;
  timer: NodeJS.Timeout | undefined;
}

export interface WorkerPoolOptions {
  /** Most threads, and one more for small tasks where these have something else to do; they are started when needed. */
  readonly threads: number;
  /** What a task may take; a large request takes a second where processors are slow. */
  readonly taskMs: number;
  /** A thread that has had nothing to do for so long ends, and gives its memory back. */
  readonly idleMs: number;
  /** The threads' program. */
  readonly file: string;
}

const heapMegabytes = 768;
/** A task on so much takes some milliseconds. */
const smallBytes = 1_048_576;
/** What a task costs besides its bytes. */
const bytesATask = 16_384;

export function openWorkerPool({ threads, taskMs, idleMs, file }: WorkerPoolOptions): WorkerPool {
  const pool = new Set<PoolThread>();
  const queue = createFairQueue<Job>();

  function start(isForSmall: boolean): PoolThread {
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } });
    // Whoever waits for a task has a socket open; nothing else may keep the process alive.
    worker.unref();
    const thread: PoolThread = { worker, isForSmall, job: null, timer: undefined };
    worker.on('message', ({ value, error }: { value?: unknown; error?: TransferredError }) =>
      finish(thread, (job) => (error ? job.reject(receivedError(error)) : job.resolve(value))),
    );
    worker.on('error', (cause) => lose(thread, cause));
    worker.on('exit', () => lose(thread, new Error('the thread ended')));
    pool.add(thread);
    return thread;
  }

  function lose(thread: PoolThread, cause: unknown): void {
    pool.delete(thread);
    finish(thread, (job) => job.reject(tooMuch(cause)));
  }

  function finish(thread: PoolThread, end: (job: Job) => void): void {
    const { job } = thread;
    thread.job = null;
    clearTimeout(thread.timer);
    if (job) end(job);
    next();
    if (thread.job || !pool.has(thread)) return;
    thread.timer = setTimeout(() => void stop(thread), idleMs);
    thread.timer.unref();
  }

  async function stop(thread: PoolThread): Promise<void> {
    pool.delete(thread);
    await thread.worker.terminate();
  }

  /** A thread that is free, or room for one; null where there is neither. */
  function placeFor(isForSmall: boolean): { isForSmall: boolean; free: PoolThread | undefined } | null {
    const those = [...pool].filter((thread) => thread.isForSmall === isForSmall);
    const free = those.find(({ job }) => job === null);
    return free || those.length < (isForSmall ? 1 : threads) ? { isForSmall, free } : null;
  }

  function next(): void {
    if (queue.size === 0) return;
    const place = placeFor(false) ?? placeFor(true);
    if (!place) return;
    const { isForSmall } = place;
    const job = queue.take(isForSmall ? smallBytes : undefined)?.item;
    if (!job) return;
    const thread = place.free ?? start(isForSmall);
    clearTimeout(thread.timer);
    thread.job = job;
    thread.timer = setTimeout(() => {
      lose(thread, new Error('the task took too long'));
      void thread.worker.terminate();
    }, taskMs);
    thread.timer.unref();
    thread.worker.postMessage(job.message, job.given);
  }

  return {
    run: <Output>(
      { name }: WorkerTask<never, Output>,
      input: unknown,
      blocks: readonly Uint8Array[] = [],
      { account = '', bytes = 0 }: TaskShare = {},
    ) =>
      new Promise<Output>((resolve, reject) => {
        const done = resolve as (value: unknown) => void;
        const cost = blocks.reduce((sum, block) => sum + block.byteLength, bytesATask + bytes);
        queue.push(account, cost, { message: { task: name, input }, given: givenAway(blocks), resolve: done, reject });
        next();
      }),
    get running() {
      return [...pool].filter(({ job }) => job !== null).length;
    },
    get waiting() {
      return queue.size;
    },
  };
}

const tooMuch = (cause: unknown) =>
  new AppError('server_overloaded', 'The request took more than there is time and memory for. Try a smaller one.', {
    retryAfterMs: 5_000,
    cause,
  });

/** Beside this module where it runs from its source; beside or above it where it was bundled. */
const program = ['../../api/worker/body-worker.ts', './body-worker.js', '../body-worker.js']
  .map((name) => fileURLToPath(new URL(name, import.meta.url)))
  .find((path) => existsSync(path));

/** The process's own: how many threads work well together is no matter of how many gateways there are. */
export const workerPool = openWorkerPool({
  threads: Math.max(1, Math.min(2, availableParallelism() - 1)),
  taskMs: 30_000,
  idleMs: 10_000,
  file: program ?? 'body-worker.js',
});
