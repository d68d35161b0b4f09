import Sqlite, { type Database } from 'better-sqlite3';
import { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { TransactionDialect } from '#gateway/storage/transaction-dialect.ts';

/**
 * Returns the statements of everything in a database that runs code when used: triggers, views and virtual tables. A
 * foreign file may contain some that write whatever its author wanted.
 */
export const definitionsIn = (db: Database): string[] =>
  db
    .prepare(
      `select type || ' ' || name || ': ' || sql from sqlite_schema
       where type in ('trigger', 'view') or (type = 'table' and sql like 'create virtual%')`,
    )
    .pluck()
    .all() as string[];

/** Returns the definitions of all versions, because an older file contains those that a later migration replaced. */
export async function knownDefinitions(migrations: Readonly<Record<string, Migration>>): Promise<ReadonlySet<string>> {
  const sqlite = new Sqlite(':memory:');
  const db = new Kysely<unknown>({ dialect: new TransactionDialect(sqlite, () => sqlite.inTransaction) });
  try {
    const known = new Set<string>();
    for (const name of Object.keys(migrations).toSorted()) {
      await migrations[name]?.up(db);
      for (const definition of definitionsIn(sqlite)) known.add(definition);
    }
    return known;
  } finally {
    await db.destroy();
  }
}
