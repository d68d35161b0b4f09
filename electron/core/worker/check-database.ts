import type { Database } from 'better-sqlite3';
import Sqlite from 'better-sqlite3';

import { isDamagedDatabase, isDiskFull } from '#shared/errors.ts';
import type { DatabaseFault } from '#shared/language/refusal-words.ts';
import { migrations } from '../storage/database/migrations/migrations.ts';
import { definitionsIn, knownDefinitions } from './known-definitions.ts';

/**
 * Checks that a file is an intact database that these migrations made, that it contains no code other than theirs
 * (`known`), and that all references to this table are valid. Returns null, or what is wrong. Runs in the worker.
 */
export function checkDatabase(
  path: string,
  migrations: readonly string[],
  table: 'messages' | 'ledger_entries',
  known: ReadonlySet<string>,
): DatabaseFault | null {
  let db: Database | null = null;
  try {
    db = new Sqlite(path, { readonly: true, fileMustExist: true });
    const [result] = db.pragma('integrity_check(1)') as { integrity_check: string }[];
    if (result?.integrity_check !== 'ok') return 'damaged';
    if (db.pragma(`foreign_key_check(${table})`, { simple: true }) !== undefined) return 'damaged';
    const rows = db.prepare('select name from kysely_migration').all() as { name: string }[];
    if (rows.length === 0) return 'foreign';
    if (!rows.every(({ name }) => migrations.includes(name))) return 'newer';
    if (!definitionsIn(db).every((definition) => known.has(definition))) return 'foreign';
    return table === 'messages' && hasForeignRows(db) ? 'foreign' : null;
  } catch (error) {
    // A full disk is no sign that the file is damaged.
    if (isDiskFull(error)) throw error;
    if (isDamagedDatabase(error)) return 'damaged';
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return code === 'SQLITE_ERROR' ? 'foreign' : 'unreadable';
  } finally {
    db?.close();
  }
}

/** Computed by running every migration, so only once per process. */
let chatDefinitions: Promise<ReadonlySet<string>> | undefined;

/** Checks a database of chats: the app's own, or a backup of it. */
export async function faultOfChats(path: string): Promise<DatabaseFault | null> {
  chatDefinitions ??= knownDefinitions(migrations);
  return checkDatabase(path, Object.keys(migrations), 'messages', await chatDefinitions);
}

/**
 * Whether there are settings that aren't JSON, or attachments whose id isn't a SHA-256. No version of the app wrote
 * such rows.
 */
function hasForeignRows(db: Database): boolean {
  const isNoId = (column: string) => `(length(${column}) <> 64 or ${column} glob '*[^0-9a-f]*')`;
  const hasColumn = db.prepare("select 1 from pragma_table_info(?) where name = 'attachments'");
  const named = ['messages', 'drafts', 'queued_messages', 'folders'].filter((table) => hasColumn.get(table));
  const isTable = db.prepare("select 1 from sqlite_schema where type = 'table' and name = 'attachments'").get();
  const checks = [
    'select 1 from settings where not json_valid(value)',
    ...(isTable ? [`select 1 from attachments where ${isNoId('id')}`] : []),
    ...named.flatMap((table) => [
      `select 1 from ${table} where not json_valid(attachments)`,
      `select 1 from ${table}, json_each(${table}.attachments) file
       where ${table}.attachments <> '[]' and ${isNoId("coalesce(json_extract(file.value, '$.id'), '')")}`,
    ]),
  ];
  return checks.some((check) => db.prepare(`${check} limit 1`).get() !== undefined);
}
