import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The latest answers of a model are found without reading those of others. */
export const answerLengths: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index messages_served on messages (served_provider, served_model, seq) where status = 'done'`.execute(
      db,
    );
  },
};
