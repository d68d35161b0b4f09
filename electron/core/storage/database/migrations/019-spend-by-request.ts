import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A line of the ledger names a request: what it was for is found by that. */
export const spendByRequest: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index spend_by_request on spend (request_id) where request_id is not null`.execute(db);
  },
};
