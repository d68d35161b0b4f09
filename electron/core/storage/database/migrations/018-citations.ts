import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Pages of the web that an answer rests on. */
export const citations: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table messages add column citations text not null default '[]'`.execute(db);
  },
};
