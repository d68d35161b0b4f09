import { readFileSync, realpathSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { AppError } from '#shared/errors.ts';

/**
 * Takes the lock of a SQLite file for the one process that serves it, and returns a function that releases it. Commands may still
 * use the file.
 *
 * The lock is an open transaction on a separate file, so the operating system releases it however the process ends. The holder's
 * name is in a third file, because a system drops a process's locks on a file as soon as the process opens and closes it a second
 * time. With `quietly` the lock is only held for a moment and no holder is named. Throws `database_in_use`, or `internal_error`
 * when the folder can't be used (docs/decisions/034-one-server-a-file.md).
 */
export function takeServingLock(database: string, { quietly = false } = {}): () => void {
  const file = `${realPath(database)}.lock`;
  const lock = openLock(database, file);
  if (quietly) rmSync(holderFile(file), { force: true });
  else writeHolder(file);
  return () => {
    if (!lock.open) return;
    rmSync(holderFile(file), { force: true });
    lock.close();
  };
}

/**
 * Takes the lock for a process that begins to serve. It waits for a command that is replaying what an earlier server left
 * (`unflushed-events.ts`): such a command holds the lock for a moment and names no holder.
 */
export async function awaitServingLock(database: string): Promise<() => void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return takeServingLock(database);
    } catch (error) {
      const isInUse = error instanceof AppError && error.code === 'database_in_use';
      if (!isInUse || tries >= (error.details?.holder === null ? maxTries : maxTriesIfNamed)) throw error;
      await delay(pauseMs);
    }
  }
}

/** How often to retry when a holder is named: the note may be stale, and a command may be about to remove it. */
const maxTriesIfNamed = 3;
const maxTries = 200;
const pauseMs = 25;

function openLock(database: string, file: string): Database.Database {
  try {
    return beginExclusive(file);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code === 'SQLITE_BUSY') throw databaseInUse(database, getHolder(file));
    if (code === 'SQLITE_NOTADB') return emptyAndLock(database, file);
    const sentence = `The database file "${database}" could not be opened: ${message}.`;
    throw new AppError('internal_error', sentence, { cause: error });
  }
}

function beginExclusive(file: string): Database.Database {
  const lock = new Database(file, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Nobody holds the lock, but the file contains something else. It's emptied so that nobody is kept out. */
function emptyAndLock(database: string, file: string): Database.Database {
  truncateSync(file);
  return openLock(database, file);
}

/** A database has one lock, through whatever link or spelling it is opened. */
function realPath(database: string): string {
  try {
    return realpathSync.native(database);
  } catch {
    // The file doesn't exist yet. If its folder doesn't either, opening the database reports that.
  }
  try {
    return join(realpathSync.native(dirname(database)), basename(database));
  } catch {
    return database;
  }
}

const holderFile = (file: string) => `${file}.pid`;

/** The note is only for people, so a process that can't write it serves anyway. */
function writeHolder(file: string): void {
  try {
    writeFileSync(holderFile(file), `${process.pid} ${hostname()}\n`, { mode: 0o600 });
  } catch {
    // If the disk is full, writing the ledger reports it.
  }
}

/** Returns null while the note is empty or missing. */
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
