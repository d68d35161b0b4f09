import { Worker } from 'node:worker_threads';
import { refusal } from '#shared/language/refusals.ts';
import { receivedFailure, type ThreadFailure } from '../storage/database/thread-failure.ts';
import type { Tasks } from './database-worker.ts';

/** Runs slow database reads on a worker thread, so the core's thread never waits for them. */
export interface Background {
  run<Name extends keyof Tasks>(
    name: Name,
    input: Parameters<Tasks[Name]>[1],
    signal?: AbortSignal | undefined,
  ): Promise<Awaited<ReturnType<Tasks[Name]>>>;
  /** Ends the thread and closes its databases. A later task would start another one. */
  close(): Promise<void>;
}

interface Waiting {
  readonly message: { readonly name: string; readonly input: unknown };
  readonly signal: AbortSignal | undefined;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Runs one task at a time, in order. A task whose caller aborted before it began is skipped. */
export function openBackground(file: string, databasePath: string): Background {
  const queue: Waiting[] = [];
  let running: Waiting | null = null;
  let worker: Worker | null = null;

  function begin(): Worker {
    if (worker) return worker;
    const fresh = new Worker(file, { workerData: { databasePath } });
    fresh.unref();
    fresh.on('message', ({ value, failure }: { value?: unknown; failure?: ThreadFailure }) =>
      finish((task) => (failure ? task.reject(receivedFailure(failure)) : task.resolve(value))),
    );
    fresh.on('error', (error) => {
      worker = null;
      finish((task) => task.reject(error));
    });
    worker = fresh;
    return fresh;
  }

  function finish(end: (task: Waiting) => void): void {
    const task = running;
    running = null;
    if (task) end(task);
    next();
  }

  function next(): void {
    if (running) return;
    const task = queue.shift();
    if (!task) return;
    if (task.signal?.aborted) {
      task.reject(refusal('cancelled', 'searchGivenUp'));
      next();
      return;
    }
    running = task;
    begin().postMessage(task.message);
  }

  return {
    run: (name, input, signal) =>
      new Promise((resolve, reject) => {
        const done = resolve as (value: unknown) => void;
        queue.push({ message: { name, input }, signal, resolve: done, reject });
        next();
      }),
    async close() {
      const stopping = refusal('cancelled', 'closing');
      for (const task of [...queue.splice(0), ...(running ? [running] : [])]) task.reject(stopping);
      running = null;
      const ending = worker;
      worker = null;
      await ending?.terminate();
    },
  };
}
