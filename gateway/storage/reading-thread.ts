import { Worker } from 'node:worker_threads';
import { threadProgram } from './thread-program.ts';

/** Reads from a SQLite file on a thread of its own, which begins with the first question. */
export interface ReadingThread {
  read(sql: string, parameters: readonly unknown[]): Promise<readonly unknown[]>;
  close(): void;
}

interface Answer {
  readonly id: number;
  readonly rows?: readonly unknown[];
  readonly problem?: string;
}

interface Asked {
  resolve(rows: readonly unknown[]): void;
  reject(error: Error): void;
}

export function createReadingThread(path: string): ReadingThread {
  let worker: Worker | null = null;
  let last = 0;
  const waiting = new Map<number, Asked>();

  function failAll(error: Error): void {
    worker = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  function answered({ id, rows, problem }: Answer): void {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker?.unref();
    if (rows) asked?.resolve(rows);
    else asked?.reject(new Error(problem ?? 'the reading thread said nothing'));
  }

  function started(): Worker {
    const thread = new Worker(threadProgram('reading-worker'), { workerData: { path } });
    thread.on('message', answered);
    thread.on('error', (error) => failAll(error instanceof Error ? error : new Error(String(error))));
    worker = thread;
    return thread;
  }

  return {
    read: (sql, parameters) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        const thread = worker ?? started();
        // Who waits for an answer keeps the process; a thread that only could be asked does not.
        thread.ref();
        thread.postMessage({ id: last, sql, parameters });
      }),
    close() {
      const closing = worker;
      failAll(new Error('the books were closed'));
      void closing?.terminate();
    },
  };
}
