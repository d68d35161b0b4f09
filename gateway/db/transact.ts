import { AppError } from '#shared/errors.ts';
import type { BooksTransaction, OpenBooks } from './open.ts';

/** Runs work in a transaction; resolved means durable. Work that refuses (throws an `AppError`) must not have written. */
export type Transact = <T>(work: (transaction: BooksTransaction) => Promise<T>) => Promise<T>;

interface Job {
  readonly work: (transaction: BooksTransaction) => Promise<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

const batchLimit = 256;

/**
 * PostgreSQL gets a transaction per piece of work. SQLite has one writer and pays for each commit with a disk sync, so what
 * arrives together, or while the disk is at work, is committed together; nobody is answered before the commit is durable.
 */
export function createTransact(books: OpenBooks): Transact {
  if (books.dialect === 'postgres') return (work) => books.db.transaction().execute(work);
  const waiting: Job[] = [];
  let draining = false;

  async function drain() {
    draining = true;
    while (waiting.length > 0) await commit(waiting.splice(0, batchLimit));
    draining = false;
  }

  async function commit(jobs: readonly Job[]): Promise<void> {
    const answers: (() => void)[] = [];
    try {
      await books.db.transaction().execute(async (transaction) => {
        for (const job of jobs) answers.push(await outcome(job, transaction));
        books.log?.defer(true);
      });
    } catch (error) {
      books.log?.defer(false);
      // One broken piece of work must not take its neighbours with it.
      if (jobs.length > 1) for (const job of jobs) await commit([job]);
      else for (const job of jobs) job.reject(error);
      return;
    }
    try {
      await books.log?.sync();
    } catch (error) {
      for (const job of jobs) job.reject(error);
      return;
    }
    for (const answer of answers) answer();
  }

  return <T>(work: (transaction: BooksTransaction) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ work, resolve, reject });
      if (!draining && waiting.length === 1) setImmediate(() => void drain());
    });
}

async function outcome(job: Job, transaction: BooksTransaction): Promise<() => void> {
  try {
    const value = await job.work(transaction);
    return () => job.resolve(value as never);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return () => job.reject(error);
  }
}
