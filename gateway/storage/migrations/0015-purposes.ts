import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Requests can be found by their purpose. Requests without one aren't in the index (decision 041). */
export const purposes: Migration = {
  async up(db) {
    await sql`CREATE INDEX requests_of_purpose ON requests (account_id, purpose, created, id)
      WHERE purpose IS NOT NULL`.execute(db);
  },
};
