import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';
import { commitFunction } from './0013-group-commit.ts';

/** Web searches have their own price, so each request stores how many it was charged for. Zero for earlier requests. */
export const webSearches = (dialect: DialectName): Migration => ({
  async up(db) {
    const int = dialect === 'sqlite' ? 'INTEGER' : 'BIGINT';
    await sql.raw(`ALTER TABLE requests ADD COLUMN web_searches ${int} NOT NULL DEFAULT 0`).execute(db);
    if (dialect === 'postgres') await sql.raw(commitFunction(['web_searches'])).execute(db);
  },
});
