import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';
import { commitFunction } from './0013-group-commit.ts';

/**
 * Images made by models have their own price, so each request stores how many of its tokens belong to them. Zero for earlier
 * requests.
 */
export const imageTokens = (dialect: DialectName): Migration => ({
  async up(db) {
    const int = dialect === 'sqlite' ? 'INTEGER' : 'BIGINT';
    await sql.raw(`ALTER TABLE requests ADD COLUMN image_tokens ${int} NOT NULL DEFAULT 0`).execute(db);
    if (dialect === 'postgres') await sql.raw(commitFunction(['web_searches', 'image_tokens'])).execute(db);
  },
});
