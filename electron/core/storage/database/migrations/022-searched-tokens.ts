import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What a search of the web has found is told by what was billed beyond what was sent. */
export const searchedTokens: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table messages add column searched_tokens integer`.execute(db);
  },
};
