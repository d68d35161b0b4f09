import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What all chats of a folder know: instructions, a model for new ones, and files. */
export const projects: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table folders add column instructions text not null default ''`.execute(db);
    await sql`alter table folders add column model text`.execute(db);
    await sql`alter table folders add column attachments text not null default '[]'`.execute(db);
  },
};
