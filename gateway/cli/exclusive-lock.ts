import Database from 'better-sqlite3';
import { dialectOf } from '../db/open.ts';

export interface ExclusiveLock {
  release(): void;
}

/**
 * Takes the right to be the only server of a SQLite database, or answers null where another process has it. The operating
 * system frees it when the process ends, however it ends.
 */
export function takeExclusiveLock(database: string): ExclusiveLock | null {
  if (dialectOf(database) !== 'sqlite') return null;
  if (database === ':memory:') return { release: () => {} };
  const lock = new Database(`${database}.lock`, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return null;
    throw error;
  }
  return { release: () => void lock.close() };
}
