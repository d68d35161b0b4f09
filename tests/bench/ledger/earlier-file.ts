import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { createDurableLog } from '#gateway/storage/durable-log.ts';
import { allMigrations } from '#gateway/storage/migrations/all-migrations.ts';
import { getDialect } from '#gateway/storage/open-database.ts';
import { postgresDialect } from '#gateway/storage/postgres.ts';
import type { GatewayTables } from '#gateway/storage/schema.ts';
import { sqliteDialect } from '#gateway/storage/sqlite.ts';
import { type Extent, fillLedger } from './fill-ledger.ts';

/** Fills a new ledger of an earlier version with this many requests, so that its migration can be measured. */
export async function fillEarlier(
  database: string,
  version: string,
  extent: Extent,
  onProgress: (requests: number) => void,
) {
  const engine = getDialect(database);
  const opened = engine === 'sqlite' ? sqliteDialect(database, createDurableLog(database)) : null;
  const dialect = opened ?? (await postgresDialect(database, () => {})).dialect;
  const db = new Kysely<GatewayTables>({ dialect });
  try {
    // This is safe here: after a crash the file is thrown away.
    if (engine === 'sqlite') await sql`pragma synchronous = off`.execute(db);
    if (engine === 'sqlite') await sql`pragma cache_size = -1000000`.execute(db);
    const { error } = await new Migrator({ db, provider: allMigrations(engine) }).migrateTo(version);
    if (error) throw error;
    await fillLedger(db, extent, onProgress);
  } finally {
    await db.destroy();
  }
}
