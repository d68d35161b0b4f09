import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';
import { commitFunction } from './0013-group-commit.ts';

/** On PostgreSQL a group of events finds its rows by id, whatever the tables contained when the plans were made. */
export const rowsById = (dialect: DialectName): Migration => ({
  async up(db) {
    if (dialect === 'sqlite') return;
    await sql.raw(commitFunction(['web_searches', 'image_tokens'], true, true)).execute(db);
  },
});
