import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the web pages that an answer cites. */
export const citations: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table messages add column citations text not null default '[]'`.execute(db);
  },
};
