import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the user's own servers and several keys per provider. Their secrets are in the keychain, not here. */
export const servers: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table providers add column settings text not null default '{}'`.execute(db);
  },
};
