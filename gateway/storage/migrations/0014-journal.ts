import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';

/**
 * How far a SQLite database has the events of the write-ahead log beside it, and the random id that tells its log from those of
 * other databases.
 */
export const flushProgress = (dialect: DialectName): Migration => ({
  async up(db) {
    if (dialect === 'postgres') return;
    await sql`CREATE TABLE step_journal (
      id INTEGER PRIMARY KEY CHECK (id = 1), books INTEGER NOT NULL, applied INTEGER NOT NULL
    ) STRICT`.execute(db);
    await sql`INSERT INTO step_journal (id, books, applied) VALUES (1, random() & 4294967295, 0)`.execute(db);
  },
});
