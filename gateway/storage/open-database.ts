import { Kysely, type Transaction } from 'kysely';
import { Migrator } from 'kysely/migration';
import { AppError, isDamagedDatabase } from '#shared/errors.ts';
import { createDurableLog, type DurableLog } from './durable-log.ts';
import { allMigrations } from './migrations/all-migrations.ts';
import { type PoolUse, postgresDialect } from './postgres.ts';
import type { GatewayTables } from './schema.ts';
import { GatewaySqliteAdapter, sqliteDialect } from './sqlite.ts';

export type DialectName = 'sqlite' | 'postgres';
export type GatewayDb = Kysely<GatewayTables>;
export type GatewayTransaction = Transaction<GatewayTables>;

export interface OpenDatabase {
  readonly db: GatewayDb;
  readonly dialect: DialectName;
  /** Null where commits are durable by themselves. */
  readonly log: DurableLog | null;
  /** How busy the connections to the server are; null with SQLite. */
  readonly pool: (() => PoolUse) | null;
}

export const getDialect = (database: string): DialectName =>
  /^postgres(ql)?:\/\//.test(database) ? 'postgres' : 'sqlite';

/** What an open database speaks: SQLite has one connection. */
export const dialectOfDb = (db: GatewayDb): DialectName =>
  db.getExecutor().adapter.supportsMultipleConnections === false ? 'sqlite' : 'postgres';

/** Empty books with today's schema, for all that this process opens in memory: tests open thousands. */
let inMemory: Buffer | null = null;

/** Opens the books (a SQLite path, `:memory:` or `postgres://…`) and brings the schema up to date. */
export async function openDatabase(
  database: string,
  log: (entry: Record<string, unknown>) => void = () => {},
): Promise<OpenDatabase> {
  const dialect = getDialect(database);
  const durableLog = dialect === 'sqlite' ? createDurableLog(database) : null;
  const begun = database === ':memory:' ? inMemory : null;
  const { dialect: opened, use } = durableLog
    ? { dialect: openSqlite(database, durableLog, begun), use: null }
    : await postgresDialect(database, log);
  const db = new Kysely<GatewayTables>({ dialect: opened });
  if (begun) return { db, dialect, log: durableLog, pool: use };
  const { error } = await new Migrator({ db, provider: allMigrations(dialect) }).migrateToLatest();
  if (error) {
    await db.destroy();
    throw new AppError('internal_error', unopened(error), { cause: error });
  }
  const { adapter } = db.getExecutor();
  if (database === ':memory:' && adapter instanceof GatewaySqliteAdapter) inMemory = adapter.connection.serialize();
  return { db, dialect, log: durableLog, pool: use };
}

function openSqlite(path: string, log: DurableLog, begun: Buffer | null) {
  try {
    return sqliteDialect(path, log, begun);
  } catch (cause) {
    const sentence = `The database file "${path}" could not be opened: ${getReason(cause)}.${adviceOn(cause, path)}`;
    throw new AppError('internal_error', sentence, { cause });
  }
}

/** Kysely names a migration that an earlier start made and this version has not. */
function unopened(error: unknown): string {
  const [, later] = /previously executed migration (\S+) is missing/.exec(getReason(error)) ?? [];
  return later === undefined
    ? `The database could not be opened: ${getReason(error)}.`
    : `The database was made by a newer version of the gateway (it has ${later}). Start that version, or restore a backup of this one.`;
}

/** What an operator can do about a damaged file. */
const adviceOn = (cause: unknown, path: string): string =>
  isDamagedDatabase(cause)
    ? ` It is damaged: move it away, with the files beside it, and restore a backup with "gateway backup restore FILE --db ${path}".`
    : '';

const getReason = (error: unknown) => (error instanceof Error && error.message ? error.message : String(error));
