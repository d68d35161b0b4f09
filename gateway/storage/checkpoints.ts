import { Worker } from 'node:worker_threads';
import { threadProgram } from './thread-program.ts';

export interface Checkpoints {
  /** Makes what is committed durable in the database's own file. Calls back when it is, or with why it is not. */
  begin(done: (error: Error | null) => void): void;
  close(): void;
}

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
    const thread = new Worker(threadProgram('checkpoint-worker'), { workerData: { path } });
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
