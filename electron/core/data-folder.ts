import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { AppError } from '#shared/errors.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where Portico keeps its data unless told otherwise: the platform's place for it. */
export function defaultDataFolder(platform: NodeJS.Platform, env: Env, home: string): string {
  if (platform === 'win32') return join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'Portico');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Portico');
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'portico');
}

/** The folder that the command line names, as `--data-dir DIR` or `--data-dir=DIR`, among flags of others. */
export function dataDirFlag(args: readonly string[]): string | null {
  const index = args.findIndex((arg) => arg === '--data-dir' || arg.startsWith('--data-dir='));
  const [flag, next] = index < 0 ? [] : args.slice(index);
  return (flag?.includes('=') ? flag.slice('--data-dir='.length) : next) || null;
}

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
