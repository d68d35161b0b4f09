import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import type { GatewayTransaction, OpenDatabase } from './open-database.ts';

/**
 * Runs work in a transaction; durable when it resolves. The work may run more than once, and only its last run counts. Work that
 * refuses by throwing an `AppError` must not have written anything.
 */
export type Transact = <T>(work: (transaction: GatewayTransaction) => Promise<T>) => Promise<T>;

interface Job {
  readonly work: (transaction: GatewayTransaction) => Promise<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

const batchLimit = 256;
/** Under load a commit waits this long for more work to join: a commit costs nearly the same for one request and for thirty. */
const gatherMs = 1;
/** After this many commits in a row, the next one waits for more work. A single request never causes more than this. */
const commitsBeforePause = 3;

/**
 * PostgreSQL gets a transaction for each piece of work. SQLite has one writer, and each commit costs a disk sync, so work that
 * arrives together or while the disk is busy is committed together (group commit). Nobody is answered before the commit is
 * durable.
 */
export function createTransact(gatewayDb: OpenDatabase): Transact {
  if (gatewayDb.dialect === 'postgres') {
    return (work) => retryRolledBack(() => gatewayDb.db.transaction().execute(work));
  }
  const waiting: Job[] = [];
  let draining = false;

  async function drain() {
    draining = true;
    for (let commits = 1; waiting.length > 0; commits += 1) {
      if (commits > commitsBeforePause) await pause(gatherMs);
      await commit(waiting.splice(0, batchLimit));
    }
    draining = false;
  }

  async function commit(jobs: readonly Job[]): Promise<void> {
    const answers: (() => void)[] = [];
    try {
      await gatewayDb.db.transaction().execute(async (transaction) => {
        for (const job of jobs) answers.push(await outcome(job, transaction));
        gatewayDb.log?.defer(true);
      });
    } catch (error) {
      gatewayDb.log?.defer(false);
      // A failing piece of work must not fail the others in its group, so each is retried alone.
      if (jobs.length > 1) for (const job of jobs) await commit([job]);
      else for (const job of jobs) job.reject(error);
      return;
    }
    try {
      await gatewayDb.log?.sync();
    } catch (error) {
      for (const job of jobs) job.reject(error);
      return;
    }
    for (const answer of answers) answer();
  }

  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push({ work, resolve, reject });
      if (!draining && waiting.length === 1) setImmediate(() => void drain());
    });
}

const maxTries = 10;

/**
 * When transactions wait for each other, PostgreSQL rolls one back (`deadlock_detected`, `serialization_failure`). Nothing of it
 * was written, so it's retried, with a longer pause each time.
 */
async function retryRolledBack<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      const isRolledBack =
        error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001');
      if (!isRolledBack || tries === maxTries) throw error;
      await pause(Math.random() * 10 * tries);
    }
  }
}

async function outcome(job: Job, transaction: GatewayTransaction): Promise<() => void> {
  try {
    const value = await job.work(transaction);
    return () => job.resolve(value as never);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return () => job.reject(error);
  }
}
