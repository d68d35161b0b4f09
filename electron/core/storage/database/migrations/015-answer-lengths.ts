import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds an index that finds the latest answers of a model without reading those of others. */
export const answerLengths: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index messages_served on messages (served_provider, served_model, seq) where status = 'done'`.execute(
      db,
    );
  },
};
