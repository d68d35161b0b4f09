import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds how long the model reasoned before the text of its answer began. */
export const thought: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table messages add column thought_ms integer`.execute(db);
  },
};
