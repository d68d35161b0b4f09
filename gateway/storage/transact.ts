import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import type { GatewayTransaction, OpenDatabase } from './open-database.ts';

/**
 * Runs work in a transaction; resolved means durable. Work may run more than once, and only its last run counts; work that
 * refuses (throws an `AppError`) must not have written.
 */
export type Transact = <T>(work: (transaction: GatewayTransaction) => Promise<T>) => Promise<T>;

interface Job {
  readonly work: (transaction: GatewayTransaction) => Promise<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

const batchLimit = 256;
/** Under load a commit waits this long for more to come: its cost is nearly the same for one request and for thirty. */
const gatherMs = 1;
/** One request alone never makes more commits in a row than these. */
const busyRounds = 3;

/**
 * PostgreSQL gets a transaction per piece of work. SQLite has one writer and pays for each commit with a disk sync, so what
 * arrives together, or while the disk is at work, is committed together; nobody is answered before the commit is durable.
 */
export function createTransact(gatewayDb: OpenDatabase): Transact {
  if (gatewayDb.dialect === 'postgres') {
    return (work) => unlessUndone(() => gatewayDb.db.transaction().execute(work));
  }
  const waiting: Job[] = [];
  let draining = false;

  async function drain() {
    draining = true;
    for (let rounds = 1; waiting.length > 0; rounds += 1) {
      if (rounds > busyRounds) await pause(gatherMs);
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
      // One broken piece of work must not take its neighbours with it.
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
 * Of transactions that wait for each other PostgreSQL undoes one (`deadlock_detected`, `serialization_failure`): nothing of
 * it was written, so it runs again, a little later each time.
 */
async function unlessUndone<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      const undone = error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001');
      if (!undone || tries === maxTries) throw error;
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
