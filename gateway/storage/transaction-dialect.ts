import { type DatabaseConnection, type SqliteDatabase, SqliteDialect, SqliteDriver } from 'kysely';

/**
 * Kysely's driver for SQLite, which rolls back only what is open: where the disk is full or fails, SQLite has rolled back by itself
 * (https://www.sqlite.org/lang_transaction.html, section 3), and Kysely's own rollback then fails in place of what had happened.
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

/** Kysely's dialect for SQLite with that driver. `isOpen`: whether a transaction is. */
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
