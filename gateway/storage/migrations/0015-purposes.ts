import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Requests are found by what they were for; those that were for nothing in particular cost this index nothing (decision 041). */
export const purposes: Migration = {
  async up(db) {
    await sql`CREATE INDEX requests_of_purpose ON requests (account_id, purpose, created, id)
      WHERE purpose IS NOT NULL`.execute(db);
  },
};
