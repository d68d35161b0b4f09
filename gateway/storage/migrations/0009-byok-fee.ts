import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';

/**
 * The operator's fee for requests on a caller's own key: its share is stored with each request, and a request has at most one fee
 * entry.
 */
export const byokFee = (dialect: DialectName): Migration => ({
  async up(db) {
    const int = dialect === 'sqlite' ? 'INTEGER' : 'BIGINT';
    await run(db, `ALTER TABLE requests ADD COLUMN byok_fee_bps ${int} NOT NULL DEFAULT 0`);
    await run(db, "CREATE UNIQUE INDEX ledger_one_byok_fee ON ledger_entries (request_id) WHERE type = 'byok_fee'");
  },
});

const run = (db: Kysely<unknown>, statement: string) => sql.raw(statement).execute(db);
