import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How long an answer was thought about before its text began. */
export const thought: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table messages add column thought_ms integer`.execute(db);
  },
};
