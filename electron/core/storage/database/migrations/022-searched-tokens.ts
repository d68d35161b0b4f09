import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The size of web search results is what was billed beyond what was sent, so the sent tokens are stored. */
export const searchedTokens: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table messages add column searched_tokens integer`.execute(db);
  },
};
