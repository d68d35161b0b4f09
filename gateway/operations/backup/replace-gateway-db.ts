import { existsSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { checkLedger, type LedgerReport } from '../../ledger/check-ledger.ts';
import { replayWriteAheadLog } from '../../ledger/sqlite/replay-write-ahead-log.ts';
import { logPaths, syncFolder } from '../../storage/log-files.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { renameFileSync } from '../../storage/rename-file.ts';
import { databaseInUse, takeServingLock } from '../../storage/serving-lock.ts';
import { GatewaySqliteAdapter } from '../../storage/sqlite.ts';
import { type CheckedCopy, copyChecked } from './sqlite-backup.ts';

const patienceMs = 2000;
const pauseMs = 20;

export interface Replacement {
  /** A complete database of this version in a single file (`stageGatewayDb`). */
  readonly staged: string;
  readonly database: string;
  /** The new path of the current database. Nothing may exist there yet. */
  readonly setAside: string;
}

/**
 * Prepares a backup to replace the current database: a single file, migrated to this version and checked. It gets its name only
 * if every sum is right. Throws like `createSqliteBackup`.
 */
export const stageGatewayDb = (backup: string, staged: string): Promise<CheckedCopy> =>
  copyChecked(backup, staged, { prove: broughtUp, onlySound: true });

async function broughtUp(file: string): Promise<LedgerReport> {
  const { db, dialect } = await openDatabase(file);
  try {
    return await checkLedger({ db, dialect });
  } finally {
    await db.destroy();
    await makeOneFile(file);
  }
}

/**
 * Replaces the current database with the staged one and sets the current one aside. If it's interrupted anywhere, a complete
 * database is in place, either the old one or the new one, and the next call finishes the work. Without a staged database there
 * is nothing to do. What was revoked or closed since the backup stays so, and so do the limits of accounts. Throws
 * `database_in_use` while anybody has the database open, and changes nothing then.
 */
export async function replaceGatewayDb({ staged, database, setAside }: Replacement): Promise<void> {
  if (!existsSync(staged)) return;
  const unlock = takeServingLock(database);
  try {
    if (existsSync(database)) {
      await flushWriteAheadLog(database);
      await makeOneFile(database);
      // The database has every event durably, and the log must not be replayed into another database.
      for (const path of logPaths(database)) rmSync(path, { force: true });
      keepRules(staged, database);
      move(database, setAside);
    }
    move(staged, database);
  } finally {
    unlock();
  }
}

async function flushWriteAheadLog(database: string): Promise<void> {
  const { db } = await openDatabase(database);
  try {
    const { adapter } = db.getExecutor();
    if (adapter instanceof GatewaySqliteAdapter) replayWriteAheadLog(adapter.connection, () => {});
  } finally {
    await db.destroy();
  }
}

/**
 * Removes SQLite's write-ahead log, which SQLite would otherwise apply to whatever file has the name next. SQLite only does it
 * for the last connection, so this waits for threads that are just ending and for commands.
 */
async function makeOneFile(file: string): Promise<void> {
  for (const until = performance.now() + patienceMs; !isOneFile(file); await delay(pauseMs)) {
    if (performance.now() > until) throw databaseInUse(file, null);
  }
}

function isOneFile(file: string): boolean {
  const database = new Database(file);
  try {
    database.pragma('journal_mode = DELETE');
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return false;
    throw error;
  } finally {
    database.close();
  }
}

/**
 * Carries restrictions over. A backup must not restore what was revoked since, spending limits aren't part of the past, and the
 * key secret must be the one that lies beside the database.
 */
function keepRules(staged: string, database: string): void {
  const gatewayDb = new Database(staged);
  try {
    gatewayDb.prepare('attach database ? as present').run(database);
    gatewayDb.exec(`begin immediate;
      update api_keys set revoked_at = present_key.revoked_at from present.api_keys as present_key
        where present_key.id = api_keys.id and api_keys.revoked_at is null;
      update accounts set status = present_account.status from present.accounts as present_account
        where present_account.id = accounts.id and accounts.status = 'active';
      update accounts set (day_limit, month_limit) = (present_account.day_limit, present_account.month_limit)
        from present.accounts as present_account where present_account.id = accounts.id;
      update accounts set model_limits = ${recountedModelLimits}
        from present.accounts as present_account where present_account.id = accounts.id;
      update accounts set tokens_valid_after = present_account.tokens_valid_after from present.accounts as present_account
        where present_account.id = accounts.id and present_account.tokens_valid_after > accounts.tokens_valid_after;
      update users set status = present_user.status from present.users as present_user
        where present_user.id = users.id and users.status = 'active';
      update users set tokens_valid_after = present_user.tokens_valid_after from present.users as present_user
        where present_user.id = users.id and present_user.tokens_valid_after > users.tokens_valid_after;
      insert or ignore into revoked_tokens select * from present.revoked_tokens;
      delete from key_secrets;
      insert into key_secrets select * from present.key_secrets;
      commit`);
  } finally {
    gatewayDb.close();
  }
}

/** The current limits of single models, with the amounts that this ledger counts for them (as in `limitModels`). */
const recountedModelLimits = `case when present_account.model_limits is not null then (
  select json_group_object(of_model.key, json_array(of_model.value ->> 0,
    cast((select coalesce(sum(charge), 0) from usage_daily where account_id = accounts.id
      and provider || '/' || model = of_model.key and substr(day, 1, 7) >= accounts.month) as text),
    cast((select coalesce(sum(hold), 0) from requests where account_id = accounts.id
      and provider || '/' || model = of_model.key and status = 'running') as text)))
  from json_each(present_account.model_limits) as of_model) end`;

/** Renames a file and syncs the folders, so that the new name survives a power cut. */
function move(from: string, to: string): void {
  renameFileSync(from, to);
  for (const path of [to, from]) syncFolder(path);
}
