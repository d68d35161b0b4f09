import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';
import { commitFunction } from './0013-group-commit.ts';

/** Images that models make have a price of their own, so each request keeps how many of its tokens they are. Earlier requests: none. */
export const imageTokens = (dialect: DialectName): Migration => ({
  async up(db) {
    const int = dialect === 'sqlite' ? 'INTEGER' : 'BIGINT';
    await sql.raw(`ALTER TABLE requests ADD COLUMN image_tokens ${int} NOT NULL DEFAULT 0`).execute(db);
    if (dialect === 'postgres') await sql.raw(commitFunction(['web_searches', 'image_tokens'])).execute(db);
  },
});
