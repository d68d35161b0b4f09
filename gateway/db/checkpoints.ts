import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

export interface Checkpoints {
  /** Makes what is committed durable in the database's own file. Calls back when it is, or with why it is not. */
  begin(done: (error: Error | null) => void): void;
  close(): void;
}

/** Beside this module where it runs from its source; beside or above it where it was bundled. */
const program = ['./checkpoint-worker.ts', './checkpoint-worker.js', '../checkpoint-worker.js']
  .map((name) => fileURLToPath(new URL(name, import.meta.url)))
  .find((path) => existsSync(path));

/** Checkpoints on a thread of their own, which begins with the first one. One at a time. */
export function createCheckpoints(path: string): Checkpoints {
  let worker: Worker | null = null;
  let waiting: ((error: Error | null) => void) | null = null;

  function end(error: Error | null): void {
    const done = waiting;
    waiting = null;
    done?.(error);
  }

  function started(): Worker {
    const thread = new Worker(program ?? 'checkpoint-worker.js', { workerData: { path } });
    thread.unref();
    thread.on('message', (problem: string | null) => end(problem === null ? null : new Error(problem)));
    thread.on('error', (error) => {
      worker = null;
      end(error instanceof Error ? error : new Error(String(error)));
    });
    worker = thread;
    return thread;
  }

  return {
    begin(done) {
      waiting = done;
      (worker ?? started()).postMessage('checkpoint');
    },
    close() {
      waiting = null;
      void worker?.terminate();
    },
  };
}
