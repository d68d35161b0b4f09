import Database from 'better-sqlite3';
import { SqliteAdapter, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import type { DurableLog } from './durable-log.ts';

/** More different statements than the gateway has; only a bound against a leak. */
const statementLimit = 500;

type Prepare = SqliteDatabase['prepare'];

/** Lets the statements of `sqlite-changes.ts` run on the connection itself: always inside a transaction, its one user. */
export class BooksAdapter extends SqliteAdapter {
  readonly prepare: Prepare;

  constructor(prepare: Prepare) {
    super();
    this.prepare = prepare;
  }

  /** SQLite does roll DDL back; Kysely is only careful. A migration that dies half-way must leave nothing. */
  override get supportsTransactionalDdl() {
    return true;
  }
}

class BooksDialect extends SqliteDialect {
  readonly #prepare: Prepare;

  constructor(database: SqliteDatabase, prepare: Prepare) {
    super({ database });
    this.#prepare = prepare;
  }

  override createAdapter() {
    return new BooksAdapter(this.#prepare);
  }
}

/**
 * Opens a SQLite file so that an acknowledged commit survives power loss (see `durable-log.ts`) and integers are
 * exact. Transactions begin IMMEDIATE: a read first and a write later would fail at once where a second process writes.
 */
export function sqliteDialect(path: string, log: DurableLog): SqliteDialect {
  const database = new Database(path);
  database.defaultSafeIntegers(true);
  database.pragma('busy_timeout = 5000');
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.pragma('foreign_keys = ON');
  // A checkpoint stops the work for two disk syncs: rarely, then.
  database.pragma('wal_autocheckpoint = 4000');
  database.pragma('cache_size = -16000');
  return new BooksDialect(withStatementCache(database, log), rawPrepare(database));
}

const rawPrepare =
  (database: Database.Database): Prepare =>
  (text) =>
    database.prepare(text) as unknown as SqliteStatement;

function withStatementCache(database: Database.Database, log: DurableLog): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>();
  const prepare = (text: string) => {
    const known = cache.get(text);
    if (known) return known;
    const prepared = database.prepare(text === 'begin' ? 'begin immediate' : text);
    const writes = text === 'commit' || !prepared.readonly;
    const statement = (writes ? durable(prepared, database, log) : prepared) as SqliteStatement;
    if (cache.size >= statementLimit) cache.clear();
    cache.set(text, statement);
    return statement;
  };
  const close = () => {
    log.close();
    database.close();
  };
  return { prepare, close };
}

/** A statement that changes something: where it ends a transaction, or is one by itself, the log has to be synced. */
function durable(statement: Database.Statement, database: Database.Database, log: DurableLog): SqliteStatement {
  const after = <T>(result: T): T => {
    if (!database.inTransaction) log.committed();
    return result;
  };
  return {
    reader: statement.reader,
    all: (parameters) => after(statement.all(...parameters)),
    run: (parameters) => after(statement.run(...parameters)),
    iterate: (parameters) => statement.iterate(...parameters) as IterableIterator<unknown>,
  };
}
