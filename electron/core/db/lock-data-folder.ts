import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { refusal } from '#shared/language/refusals.ts';

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
    const code = cause instanceof Error && 'code' in cause ? cause.code : null;
    const name = code === 'SQLITE_BUSY' ? 'dataFolderInUse' : 'dataFolderClosed';
    throw refusal('data_folder_unavailable', name, { folder }, { cause });
  }
}
