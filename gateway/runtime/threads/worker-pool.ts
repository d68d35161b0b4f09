/**
 * The platform has worker threads but no pool: no queue, no fairness, no limit on time or memory that fails only one task.
 * Parsing and writing a large body can't be sliced and would block every other request. Here a thread does it, with 30 seconds
 * and a heap of 768 MB. So 25 MiB of any kind cost the main thread less than 10 ms (decision 028). To check:
 * `worker-pool.test.ts`, and `large-bodies.test.ts` in `../body/`.
 */

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type TransferListItem, Worker } from 'node:worker_threads';
import { AppError } from '#shared/errors.ts';
import { getTransferable } from '../body/body-blocks.ts';
import { createFairQueue } from '../concurrency/fair-queue.ts';
import { fromTransferredError, type TransferredError } from './transferred-error.ts';
import type { WorkerTask } from './worker-task.ts';

/** Threads for work that would block the event loop: parsing, checking and writing large bodies. */
export interface WorkerPool {
  /**
   * Runs a task as soon as a thread is free. Tasks are taken in fair order over the accounts, small ones first. The memory of
   * `blocks` is transferred, so the caller must not use them afterwards. Rejects with the task's error, or with 503
   * `server_overloaded` when it took too long or its thread died.
   */
  run<Input, Output>(
    task: WorkerTask<Input, Output>,
    input: Input,
    blocks?: readonly Uint8Array[],
    /** The account of the task, and how many bytes it works on besides its blocks. */
    share?: TaskShare,
  ): Promise<Output>;
  /** How many tasks are running, and how many wait for a thread. */
  readonly running: number;
  readonly waiting: number;
}

export interface TaskShare {
  readonly account?: string;
  readonly bytes?: number;
}

interface Job {
  readonly message: { readonly task: string; readonly input: unknown };
  readonly transferred: readonly TransferListItem[];
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface PoolThread {
  readonly worker: Worker;
  /** Whether the thread takes only small tasks. */
  readonly isForSmall: boolean;
  job: Job | null;
  timer: NodeJS.Timeout | undefined;
}

export interface WorkerPoolOptions {
  /**
   * The largest number of threads. One more is added for small tasks while all of these are busy. Threads start when they are
   * needed.
   */
  readonly threads: number;
  /** The time limit of a task. A large request takes a second on a slow processor. */
  readonly taskMs: number;
  /** A thread that was idle this long ends and frees its memory. */
  readonly idleMs: number;
  /** The program of the threads. */
  readonly file: string;
}

const heapMegabytes = 768;
/** A task up to this size takes a few milliseconds. */
const smallBytes = 1_048_576;
/** The fixed cost of a task in the fair queue, added to its bytes. */
const bytesATask = 16_384;

export function openWorkerPool({ threads, taskMs, idleMs, file }: WorkerPoolOptions): WorkerPool {
  const pool = new Set<PoolThread>();
  const queue = createFairQueue<Job>();

  function start(isForSmall: boolean): PoolThread {
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } });
    // A caller that waits for a task has an open socket, which keeps the process alive. An idle thread must not.
    worker.unref();
    const thread: PoolThread = { worker, isForSmall, job: null, timer: undefined };
    worker.on('message', ({ value, error }: { value?: unknown; error?: TransferredError }) =>
      finish(thread, (job) => (error ? job.reject(fromTransferredError(error)) : job.resolve(value))),
    );
    worker.on('error', (cause) => lose(thread, cause));
    worker.on('exit', () => lose(thread, new Error('the thread ended')));
    pool.add(thread);
    return thread;
  }

  function lose(thread: PoolThread, cause: unknown): void {
    pool.delete(thread);
    finish(thread, (job) => job.reject(toOverload(cause)));
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

  /** Returns a free thread, or a free place for a new one; null when there is neither. */
  function findPlace(isForSmall: boolean): { isForSmall: boolean; free: PoolThread | undefined } | null {
    const threadsOfKind = [...pool].filter((thread) => thread.isForSmall === isForSmall);
    const free = threadsOfKind.find(({ job }) => job === null);
    return free || threadsOfKind.length < (isForSmall ? 1 : threads) ? { isForSmall, free } : null;
  }

  function next(): void {
    if (queue.size === 0) return;
    const place = findPlace(false) ?? findPlace(true);
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
    thread.worker.postMessage(job.message, job.transferred);
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
        queue.push(account, cost, {
          message: { task: name, input },
          transferred: getTransferable(blocks),
          resolve: done,
          reject,
        });
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

const toOverload = (cause: unknown) =>
  new AppError('server_overloaded', 'The request took more than there is time and memory for. Try a smaller one.', {
    retryAfterMs: 5_000,
    cause,
  });

/** The program is beside this module when run from source, and beside or above it in a bundle. */
const program = ['../../api/worker/body-worker.ts', './body-worker.js', '../body-worker.js']
  .map((name) => fileURLToPath(new URL(name, import.meta.url)))
  .find((path) => existsSync(path));

/** One pool for the process: how many threads make sense doesn't depend on how many gateways run in it. */
export const workerPool = openWorkerPool({
  threads: Math.max(1, Math.min(2, availableParallelism() - 1)),
  taskMs: 30_000,
  idleMs: 10_000,
  file: program ?? 'body-worker.js',
});
