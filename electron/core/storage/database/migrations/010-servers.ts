import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Servers under names of the user's own, and several keys of a provider: what is remembered of them but the secrets. */
export const servers: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table providers add column settings text not null default '{}'`.execute(db);
  },
};
