import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { isDiskFull } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';

/**
 * Creates the data folder and locks it for this process. The lock is an open transaction on its own database file,
 * which the operating system releases however the process ends. Returns a function that unlocks.
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
    throw refusal('data_folder_unavailable', getReason(cause), { folder }, { cause });
  }
}

function getReason(cause: unknown) {
  if (isDiskFull(cause)) return 'dataFolderFull';
  const isLocked = cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_BUSY';
  return isLocked ? 'dataFolderInUse' : 'dataFolderClosed';
}
