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
  /** Null on PostgreSQL, whose commits are durable. */
  readonly log: DurableLog | null;
  /** Returns how busy the connections to the server are. Null with SQLite. */
  readonly pool: (() => PoolUse) | null;
}

export const getDialect = (database: string): DialectName =>
  /^postgres(ql)?:\/\//.test(database) ? 'postgres' : 'sqlite';

/** Returns the dialect of an open database. SQLite is recognized by its single connection. */
export const dialectOfDb = (db: GatewayDb): DialectName =>
  db.getExecutor().adapter.supportsMultipleConnections === false ? 'sqlite' : 'postgres';

/** An empty database with the current schema, reused for all databases in memory: tests open thousands of them. */
let emptyInMemory: Buffer | null = null;

/** Opens the database (a SQLite path, `:memory:` or `postgres://…`) and migrates its schema. */
export async function openDatabase(
  database: string,
  log: (entry: Record<string, unknown>) => void = () => {},
): Promise<OpenDatabase> {
  const dialect = getDialect(database);
  const durableLog = dialect === 'sqlite' ? createDurableLog(database) : null;
  const initial = database === ':memory:' ? emptyInMemory : null;
  const { dialect: opened, use } = durableLog
    ? { dialect: openSqlite(database, durableLog, initial), use: null }
    : await postgresDialect(database, log);
  const db = new Kysely<GatewayTables>({ dialect: opened });
  if (initial) return { db, dialect, log: durableLog, pool: use };
  const { error } = await new Migrator({ db, provider: allMigrations(dialect) }).migrateToLatest();
  if (error) {
    await db.destroy();
    throw new AppError('internal_error', describeOpenError(error), { cause: error });
  }
  const { adapter } = db.getExecutor();
  if (database === ':memory:' && adapter instanceof GatewaySqliteAdapter)
    emptyInMemory = adapter.connection.serialize();
  return { db, dialect, log: durableLog, pool: use };
}

function openSqlite(path: string, log: DurableLog, initial: Buffer | null) {
  try {
    return sqliteDialect(path, log, initial);
  } catch (cause) {
    const sentence = `The database file "${path}" could not be opened: ${getReason(cause)}.${adviceOn(cause, path)}`;
    throw new AppError('internal_error', sentence, { cause });
  }
}

/** Kysely names a migration that the database has and this version doesn't, which means that a newer version made it. */
function describeOpenError(error: unknown): string {
  const [, later] = /previously executed migration (\S+) is missing/.exec(getReason(error)) ?? [];
  return later === undefined
    ? `The database could not be opened: ${getReason(error)}.`
    : `The database was made by a newer version of the gateway (it has ${later}). Start that version, or restore a backup of this one.`;
}

/** Returns what an operator can do about a damaged file. */
const adviceOn = (cause: unknown, path: string): string =>
  isDamagedDatabase(cause)
    ? ` It is damaged: move it away, with the files beside it, and restore a backup with "gateway backup restore FILE --db ${path}".`
    : '';

const getReason = (error: unknown) => (error instanceof Error && error.message ? error.message : String(error));
