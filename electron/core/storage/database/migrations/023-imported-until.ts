import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A later import of the same chat tells what is new from what was removed here. */
export const importedUntil: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table conversations add column imported_until integer`.execute(db);
  },
};
