import type { Database } from 'better-sqlite3';
import Sqlite from 'better-sqlite3';

import type { DatabaseFault } from '#shared/language/refusal-words.ts';

/**
 * Null: the file is an intact database that these migrations have made, and what this table refers to is there. Else its fault. Runs in
 * the worker.
 */
export function checkDatabase(
  path: string,
  migrations: readonly string[],
  table: 'messages' | 'ledger_entries',
): DatabaseFault | null {
  let db: Database | null = null;
  try {
    db = new Sqlite(path, { readonly: true, fileMustExist: true });
    const [result] = db.pragma('integrity_check(1)') as { integrity_check: string }[];
    if (result?.integrity_check !== 'ok') return 'damaged';
    if (db.pragma(`foreign_key_check(${table})`, { simple: true }) !== undefined) return 'damaged';
    const rows = db.prepare('select name from kysely_migration').all() as { name: string }[];
    if (rows.length === 0) return 'foreign';
    return rows.every(({ name }) => migrations.includes(name)) ? null : 'newer';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return code === 'SQLITE_ERROR' ? 'foreign' : 'unreadable';
  } finally {
    db?.close();
  }
}
