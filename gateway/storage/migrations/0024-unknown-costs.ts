import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Counts the few requests whose cost may be unknown without reading the others. The condition is that of `usage-store.ts`. */
export const unknownCosts: Migration = {
  async up(db) {
    await sql`CREATE INDEX requests_of_unknown_cost ON requests (account_id, created)
      WHERE status <> 'running' AND (status <> 'succeeded' OR price IS NULL)`.execute(db);
  },
};
