import type { Replacement } from '#gateway/operations/backup/replace-gateway-db.ts';
import { AppError, type ErrorCode, isDiskFull } from '#shared/errors.ts';
import type { DatabaseFault } from '#shared/language/refusal-words.ts';
import { checkDatabase } from './check-database.ts';
import { knownDefinitions } from './known-definitions.ts';

/** Copies of the ledger, each counted again: minutes for large ledger. Run in the worker; the gateway is loaded with the first. */

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

/** Makes a copy ready to take the place of the ledger. Returns why it cannot. */
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

/** An error does not arrive as what it is on another thread. A full disk says nothing about the copy. */
async function unless<Why>(code: ErrorCode, why: Why, work: () => Promise<unknown>): Promise<Why | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof AppError && error.code === code && !isDiskFull(error)) return why;
    throw error;
  }
}
