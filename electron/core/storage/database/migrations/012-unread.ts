import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds a mark for conversations with an answer that ended while no window showed them. */
export const unread: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table conversations add column unread integer not null default 0`.execute(db);
  },
};
