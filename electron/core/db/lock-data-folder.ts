import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { AppError } from '#shared/errors.ts';

/**
 * Makes the folder and takes it for this process. The lock is an open transaction on a database file of its own: the
 * operating system frees it however the process ends. Returns what gives it back.
 */
export function lockDataFolder(folder: string): () => void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = new Sqlite(join(folder, 'lock.db'), { timeout: 0 });
    try {
      lock.exec('begin exclusive');
    } catch (error) {
      lock.close();
      throw error;
    }
    return () => lock.close();
  } catch (cause) {
    throw new AppError('data_folder_unavailable', sentence(folder, cause), { cause });
  }
}

function sentence(folder: string, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  if (code === 'SQLITE_BUSY') {
    return `Portico is already running with the data folder ${folder}. Close it, or choose another folder with --data-dir.`;
  }
  return `The data folder ${folder} cannot be written. Choose another one with --data-dir.`;
}
