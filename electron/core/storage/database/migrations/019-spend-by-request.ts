import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A ledger line contains a request id. This index finds what that request was for. */
export const spendByRequest: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index spend_by_request on spend (request_id) where request_id is not null`.execute(db);
  },
};
