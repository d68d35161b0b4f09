import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';

/**
 * Requests can be found by the caller's own id and by their conversation without reading others, and entries have a known type
 * (decision 041).
 */
export const findable = (dialect: DialectName): Migration => ({
  async up(db) {
    for (const statement of statements(dialect)) await sql.raw(statement).execute(db);
  },
});

/** Each list can be read in the order of an index, whatever its filter. Requests without such a name aren't in its index. */
const statements = (dialect: DialectName): string[] => [
  `ALTER TABLE requests ADD COLUMN client_request_id TEXT GENERATED ALWAYS AS ${clientRequestId[dialect]}`,
  `CREATE INDEX requests_of_client_request ON requests (account_id, client_request_id, created, id)
    WHERE client_request_id IS NOT NULL`,
  `CREATE INDEX requests_of_conversation ON requests (account_id, conversation_id, created, id)
    WHERE conversation_id IS NOT NULL`,
  'DROP INDEX requests_of_account',
  'DROP INDEX requests_by_time',
  'CREATE INDEX requests_by_time ON requests (account_id, created, id)',
  `ALTER TABLE ledger_entries ADD CONSTRAINT ledger_entry_type CHECK
    (type IN ('grant', 'purchase', 'usage', 'refund', 'adjustment', 'expiry', 'byok_fee'))`,
  // Finds the few entries that aren't usage among millions that are. The index doesn't contain usage entries.
  "CREATE INDEX ledger_other_than_usage ON ledger_entries (account_id, type, seq) WHERE type <> 'usage'",
  `CREATE TABLE sweep_progress (task TEXT PRIMARY KEY, reached TEXT NOT NULL)${dialect === 'sqlite' ? ' STRICT' : ''}`,
  "INSERT INTO sweep_progress (task, reached) VALUES ('routing_details', '')",
];

/**
 * Derived from the metadata, so that the two can't differ and rows written by an instance of the previous version have it too.
 * PostgreSQL extracts only this one pair: its JSON functions refuse any text that contains \u0000. Quotes inside a value are
 * escaped.
 */
const clientRequestId: Record<DialectName, string> = {
  sqlite: `(json_extract(metadata, '$.client_request_id')) VIRTUAL`,
  postgres: `(CASE WHEN strpos(metadata, '"client_request_id":"') > 0 THEN
    substring(metadata FROM '"client_request_id":("(?:[^"\\\\]|\\\\["\\\\bfnrt])*")')::json #>> '{}' END) STORED`,
};
