import Database from 'better-sqlite3';
import { SqliteAdapter, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';

/** More different statements than the gateway has; only a bound against a leak. */
const statementLimit = 500;

type Prepare = SqliteDatabase['prepare'];

/** Lets the statements of `compiled-once.ts` run on the connection itself, which has one user at a time. */
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

  constructor(database: SqliteDatabase) {
    super({ database });
    this.#prepare = database.prepare;
  }

  override createAdapter() {
    return new BooksAdapter(this.#prepare);
  }
}

/**
 * Opens a SQLite file so that an acknowledged commit survives power loss (WAL with `synchronous=FULL`) and integers are
 * exact. Transactions begin IMMEDIATE: a read first and a write later would fail at once where a second process writes.
 */
export function sqliteDialect(path: string): SqliteDialect {
  const database = new Database(path);
  database.defaultSafeIntegers(true);
  database.pragma('busy_timeout = 5000');
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  return new BooksDialect(withStatementCache(database));
}

function withStatementCache(database: Database.Database): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>();
  const prepare = (text: string) => {
    const known = cache.get(text);
    if (known) return known;
    const statement = database.prepare(text === 'begin' ? 'begin immediate' : text) as unknown as SqliteStatement;
    if (cache.size >= statementLimit) cache.clear();
    cache.set(text, statement);
    return statement;
  };
  return { prepare, close: () => void database.close() };
}
