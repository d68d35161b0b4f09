import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';

/** How far a SQLite file has what is in the journal beside it, and what tells its journal from others'. */
export const journal = (dialect: DialectName): Migration => ({
  async up(db) {
    if (dialect === 'postgres') return;
    await sql`CREATE TABLE step_journal (
      id INTEGER PRIMARY KEY CHECK (id = 1), books INTEGER NOT NULL, applied INTEGER NOT NULL
    ) STRICT`.execute(db);
    await sql`INSERT INTO step_journal (id, books, applied) VALUES (1, random() & 4294967295, 0)`.execute(db);
  },
});
