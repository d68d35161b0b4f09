import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds what all chats of a folder share: instructions, a model for new chats, and files. */
export const projects: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table folders add column instructions text not null default ''`.execute(db);
    await sql`alter table folders add column model text`.execute(db);
    await sql`alter table folders add column attachments text not null default '[]'`.execute(db);
  },
};
