import Database from 'better-sqlite3';
import { dialectOf } from '../db/open.ts';

export interface ServingLock {
  /** No other process serves this database, and none can begin to before `share` is called. */
  readonly alone: boolean;
  /** Lets others serve beside this process: called once it has put in order what earlier ones left. */
  share(): void;
  release(): void;
}

/** How long a server that starts waits for one that is putting the books in order. */
const patienceMs = 30_000;

/**
 * Registers a server of a SQLite database; null for other databases. Each holds a shared lock for as long as it lives, so
 * that one is alone exactly where it gets the exclusive one. The operating system frees both when the process ends,
 * however it ends.
 */
export function takeServingLock(database: string): ServingLock | null {
  if (dialectOf(database) !== 'sqlite') return null;
  if (database === ':memory:') return { alone: true, share: () => {}, release: () => {} };
  const lock = new Database(`${database}.lock`, { timeout: 0 });
  try {
    const alone = isAlone(lock);
    const share = () => {
      lock.pragma(`busy_timeout = ${patienceMs}`);
      if (alone) lock.exec('COMMIT');
      // A transaction that has read holds the shared lock.
      lock.exec('BEGIN; SELECT * FROM sqlite_master');
    };
    if (!alone) share();
    return { alone, share: alone ? share : () => {}, release: () => void lock.close() };
  } catch (error) {
    lock.close();
    throw error;
  }
}

function isAlone(lock: Database.Database): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return false;
    throw error;
  }
}
