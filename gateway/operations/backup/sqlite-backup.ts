import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { AppError } from '#shared/errors.ts';
import { checkLedger, type LedgerReport } from '../../ledger/check-ledger.ts';
import { awaitEarlierEvents } from '../../ledger/sqlite/unflushed-events.ts';
import { createDurableLog } from '../../storage/durable-log.ts';
import { logPaths } from '../../storage/log-files.ts';
import { allMigrations } from '../../storage/migrations/all-migrations.ts';
import { renameFileSync } from '../../storage/rename-file.ts';
import type { GatewayTables } from '../../storage/schema.ts';
import { takeServingLock } from '../../storage/serving-lock.ts';
import { sqliteDialect } from '../../storage/sqlite.ts';

/** A copy of a SQLite file and the result of its check. */
export interface CheckedCopy {
  readonly bytes: number;
  /** Null when the database is of another version, because only that version can check it. */
  readonly report: LedgerReport | null;
}

/** 4 MB at a time. */
const pagesAStep = 1_000;

/**
 * Copies a database that may be served meanwhile, checks the copy and only then gives it its name. Throws `not_found` when there
 * is no database, `invalid_input` when the file exists already, and `internal_error` when the copy isn't sound.
 */
export async function createSqliteBackup(database: string, file: string): Promise<CheckedCopy> {
  if (!existsSync(database)) throw new AppError('not_found', `There is no database "${database}". Name it with --db.`);
  refuseExisting(file, 'A backup never replaces a file');
  await settleWriteAheadLog(database);
  return copyChecked(database, file);
}

/**
 * Restores a backup as a new database. Throws `not_found` when there is no backup, `database_in_use` when a server has the
 * database, and `invalid_input` when one exists already.
 */
export async function restoreSqliteBackup(file: string, database: string): Promise<CheckedCopy> {
  if (!existsSync(file)) throw new AppError('not_found', `There is no backup "${file}".`);
  const unlock = takeServingLock(database);
  try {
    for (const part of [database, `${database}-wal`, ...logPaths(database)])
      refuseExisting(part, 'A restore never replaces books');
    return await copyChecked(file, database);
  } finally {
    unlock();
  }
}

function refuseExisting(file: string, why: string): void {
  if (existsSync(file))
    throw new AppError('invalid_input', `${why}: "${file}" is there. Move it away, or name another.`);
}

/** The last events may only be in the write-ahead log. They must be flushed first, or the copy lacks them. */
async function settleWriteAheadLog(database: string): Promise<void> {
  if (!logPaths(database).some((path) => existsSync(path))) return;
  const dialect = sqliteDialect(database, createDurableLog(database));
  try {
    await awaitEarlierEvents(new Kysely<GatewayTables>({ dialect }));
  } finally {
    dialect.close();
  }
}

interface Proof {
  /** Checks the ledger of a file. Returns null when it can't. */
  readonly prove: (file: string) => Promise<LedgerReport | null>;
  /** Whether a copy with a wrong sum is discarded. Set when the caller has a better database to keep. */
  readonly onlySound: boolean;
}

/** The copy gets its final name last, so an interrupted or damaged copy never has it. */
export async function copyChecked(
  from: string,
  to: string,
  { prove, onlySound }: Proof = { prove: provenLedger, onlySound: false },
): Promise<CheckedCopy> {
  const partial = `${to}.partial`;
  const remove = () => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${partial}${end}`, { force: true });
  };
  remove();
  try {
    await copyPages(from, partial);
    refuseDamaged(partial);
    const report = await prove(partial);
    if (onlySound && report?.ok === false)
      throw new AppError('internal_error', `The books of "${from}" do not add up.`);
    syncFile(partial);
    renameFileSync(partial, to);
    return { bytes: statSync(to).size, report };
  } catch (error) {
    remove();
    if (error instanceof AppError) throw error;
    const sentence = `"${from}" could not be copied to "${to}": ${(error as Error).message}.`;
    throw new AppError('internal_error', sentence, { cause: error });
  }
}

/**
 * The open transaction keeps one snapshot for as long as the copy takes. Without it, each commit of a server would restart the
 * copy.
 */
async function copyPages(from: string, to: string): Promise<void> {
  const source = new Database(from, { fileMustExist: true });
  try {
    source.pragma('busy_timeout = 5000');
    source.exec('begin');
    source.prepare('select count(*) from sqlite_schema').get();
    await source.backup(to, { progress: () => pagesAStep });
  } finally {
    source.close();
  }
}

/** Reads every page and index, and throws when one is damaged. */
function refuseDamaged(file: string): void {
  const copy = new Database(file);
  const found = copy.pragma('integrity_check(1)', { simple: true });
  copy.close();
  if (found !== 'ok') throw new AppError('internal_error', `The copy is damaged: ${found}.`);
}

/** Checks every sum of the ledger. Returns null when the database needs a migration. */
async function provenLedger(file: string): Promise<LedgerReport | null> {
  const db = new Kysely<GatewayTables>({ dialect: sqliteDialect(file, createDurableLog(file)) });
  try {
    const migrations = await new Migrator({ db, provider: allMigrations('sqlite') }).getMigrations();
    if (migrations.some(({ executedAt }) => !executedAt)) return null;
    return await checkLedger({ db, dialect: 'sqlite' });
  } finally {
    await db.destroy();
  }
}

function syncFile(file: string): void {
  const opened = openSync(file, 'r+');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
