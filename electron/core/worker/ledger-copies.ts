import type { Replacement } from '#gateway/operations/backup/replace-gateway-db.ts';
import { AppError, type ErrorCode, isDiskFull } from '#shared/errors.ts';
import type { DatabaseFault } from '#shared/language/refusal-words.ts';
import { checkDatabase } from './check-database.ts';
import { knownDefinitions } from './known-definitions.ts';

/**
 * Backups of the ledger, each with its sums recomputed. That takes minutes for a large ledger, so these functions run
 * in the worker. The gateway's code is loaded with the first call.
 */

export async function backUpLedger(database: string, file: string): Promise<{ sound: boolean }> {
  const { createSqliteBackup } = await import('#gateway/operations/backup/sqlite-backup.ts');
  const { report } = await createSqliteBackup(database, file);
  return { sound: report?.ok !== false };
}

export async function faultOfLedger(copy: string): Promise<DatabaseFault | null> {
  const { allMigrations } = await import('#gateway/storage/migrations/all-migrations.ts');
  const migrations = await allMigrations('sqlite').getMigrations();
  return checkDatabase(copy, Object.keys(migrations), 'ledger_entries', await knownDefinitions(migrations));
}

/** Prepares a copy to replace the ledger. Returns why that isn't possible, or null. */
export async function stageLedger(copy: string, staged: string): Promise<DatabaseFault | null> {
  const fault = await faultOfLedger(copy);
  if (fault) return fault;
  const { stageGatewayDb } = await import('#gateway/operations/backup/replace-gateway-db.ts');
  return unless('internal_error', 'damaged', () => stageGatewayDb(copy, staged));
}

export async function replaceLedger(replacement: Replacement): Promise<'in-use' | null> {
  const { replaceGatewayDb } = await import('#gateway/operations/backup/replace-gateway-db.ts');
  return unless('database_in_use', 'in-use', () => replaceGatewayDb(replacement));
}

/**
 * Errors lose their class between threads, so an expected error code is converted to a value. A full disk is thrown, as it
 * is no sign that the copy is damaged.
 */
async function unless<Why>(code: ErrorCode, why: Why, work: () => Promise<unknown>): Promise<Why | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof AppError && error.code === code && !isDiskFull(error)) return why;
    throw error;
  }
}
