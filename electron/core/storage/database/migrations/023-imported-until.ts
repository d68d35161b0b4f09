import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Lets a later import of the same chat tell new messages from those that the user removed here. */
export const importedUntil: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table conversations add column imported_until integer`.execute(db);
  },
};
