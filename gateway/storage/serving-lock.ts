import { readFileSync, realpathSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { AppError } from '#shared/errors.ts';

/**
 * Takes a SQLite file for the one process that serves it; returns what gives it back. The command line works beside it. The
 * lock is an open transaction on a file of its own, so that the operating system frees it however the process ends; who has
 * it stands in another file, because the system drops a process's locks on a file that it opens and closes a second time. `quietly`: for a moment, and nobody is named.
 * Throws `database_in_use`, and `internal_error` where the folder cannot be used (docs/decisions/034-one-server-a-file.md).
 */
export function takeServingLock(database: string, { quietly = false } = {}): () => void {
  const file = `${realPath(database)}.lock`;
  const lock = locked(database, file);
  if (quietly) rmSync(holderFile(file), { force: true });
  else tellHolder(file);
  return () => {
    if (!lock.open) return;
    rmSync(holderFile(file), { force: true });
    lock.close();
  };
}

/**
 * The same for a process that begins to serve. A command that brings in what an earlier server has left (`unflushed-commands.ts`) has
 * the lock for a moment and is waited for: it leaves no note.
 */
export async function awaitServingLock(database: string): Promise<() => void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return takeServingLock(database);
    } catch (error) {
      const refused = error instanceof AppError && error.code === 'database_in_use';
      if (!refused || tries >= (error.details?.holder === null ? maxTries : surelyServed)) throw error;
      await delay(pauseMs);
    }
  }
}

/** A note may be one that a command is about to take away. */
const surelyServed = 3;
const maxTries = 200;
const pauseMs = 25;

function locked(database: string, file: string): Database.Database {
  try {
    return begun(file);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code === 'SQLITE_BUSY') throw databaseInUse(database, getHolder(file));
    if (code === 'SQLITE_NOTADB') return emptied(database, file);
    const sentence = `The database file "${database}" could not be opened: ${message}.`;
    throw new AppError('internal_error', sentence, { cause: error });
  }
}

function begun(file: string): Database.Database {
  const lock = new Database(file, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Nobody has the lock, and what somebody wrote into its file must keep nobody out. */
function emptied(database: string, file: string): Database.Database {
  truncateSync(file);
  return locked(database, file);
}

/** One file has one lock, by whatever link or spelling it is named. */
function realPath(database: string): string {
  try {
    return realpathSync.native(database);
  } catch {
    // It does not exist yet; its folder does, or opening it will tell.
  }
  try {
    return join(realpathSync.native(dirname(database)), basename(database));
  } catch {
    return database;
  }
}

const holderFile = (file: string) => `${file}.pid`;

/** For people only: a process that could not write it serves all the same. */
function tellHolder(file: string): void {
  try {
    writeFileSync(holderFile(file), `${process.pid} ${hostname()}\n`, { mode: 0o600 });
  } catch {
    // A full disk is the books' business, not the lock's.
  }
}

/** Where the file has nothing to say yet, nobody is named. */
function getHolder(file: string): string | null {
  try {
    const [, pid, host] = /^(\d+) (\S+)$/.exec(readFileSync(holderFile(file), 'utf8').trim()) ?? [];
    if (pid === undefined) return null;
    return host === hostname() ? `process ${pid}` : `process ${pid} on ${host}`;
  } catch {
    return null;
  }
}

export function databaseInUse(database: string, holder: string | null): AppError {
  const who = holder ? `another server (${holder})` : 'another server';
  return new AppError(
    'database_in_use',
    `The database "${database}" is in use by ${who}: stop that one, or give this one a file of its own. Only PostgreSQL serves several.`,
    { details: { holder } },
  );
}
