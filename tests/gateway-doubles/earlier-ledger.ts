import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { onTestFinished } from 'vitest';
import { createDurableLog } from '../../gateway/storage/durable-log.ts';
import { allMigrations } from '../../gateway/storage/migrations/all-migrations.ts';
import { postgresDialect } from '../../gateway/storage/postgres.ts';
import type { GatewayTables } from '../../gateway/storage/schema.ts';
import { sqliteDialect } from '../../gateway/storage/sqlite.ts';
import { onPostgres, testDatabase } from './test-database.ts';

/**
 * Opens an empty ledger as an earlier version left it, on the engine of this run, and returns it with a
 * function that migrates it.
 */
export async function openEarlier(version: string) {
  const dialect = onPostgres()
    ? (await postgresDialect(await testDatabase(), () => {})).dialect
    : sqliteDialect(':memory:', createDurableLog(':memory:'));
  const db = new Kysely<GatewayTables>({ dialect });
  onTestFinished(() => db.destroy());
  if (onPostgres()) await sql`DROP SCHEMA public CASCADE`.execute(db);
  if (onPostgres()) await sql`CREATE SCHEMA public`.execute(db);
  const migrator = new Migrator({ db, provider: allMigrations(onPostgres() ? 'postgres' : 'sqlite') });
  const { error } = await migrator.migrateTo(version);
  if (error) throw error;
  return { db, migrator };
}
