import { type DatabaseConnection, type SqliteDatabase, SqliteDialect, SqliteDriver } from 'kysely';

/**
 * Kysely's driver for SQLite, except that it only rolls back an open transaction. When the disk is full or fails, SQLite has
 * already rolled back (https://www.sqlite.org/lang_transaction.html, section 3). Kysely's own rollback then fails, and its error
 * would hide the original one.
 */
class TransactionDriver extends SqliteDriver {
  readonly #isOpen: () => boolean;

  constructor(database: SqliteDatabase, isOpen: () => boolean) {
    super({ database });
    this.#isOpen = isOpen;
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#isOpen()) await super.rollbackTransaction(connection);
  }
}

/** Kysely's dialect for SQLite with that driver. `isOpen` returns whether a transaction is open. */
export class TransactionDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;
  readonly #isOpen: () => boolean;

  constructor(database: SqliteDatabase, isOpen: () => boolean) {
    super({ database });
    this.#database = database;
    this.#isOpen = isOpen;
  }

  override createDriver(): SqliteDriver {
    return new TransactionDriver(this.#database, this.#isOpen);
  }
}
