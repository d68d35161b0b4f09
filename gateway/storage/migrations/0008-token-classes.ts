import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';

/** Tokens that have their own price, stored separately so that every charge can be recomputed. Zero for earlier requests. */
export const tokenClasses = (dialect: DialectName): Migration => ({
  async up(db) {
    const int = dialect === 'sqlite' ? 'INTEGER' : 'BIGINT';
    for (const column of ['audio_tokens', 'cache_write_1h_tokens'])
      await add(db, `${column} ${int} NOT NULL DEFAULT 0`);
  },
});

const add = (db: Kysely<unknown>, column: string) => sql.raw(`ALTER TABLE requests ADD COLUMN ${column}`).execute(db);
