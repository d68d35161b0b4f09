import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';

/**
 * Requests are found by the caller's own id of them and by their conversation, without reading the others, and
 * entries are of a known type (decision 041).
 */
export const findable = (dialect: DialectName): Migration => ({
  async up(db) {
    for (const statement of statements(dialect)) await sql.raw(statement).execute(db);
  },
});

/** A list is read in the order of an index, whatever it is narrowed by. Requests without a name cost its index nothing. */
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
  // The few entries that are no usage are found among millions that are; those cost this index nothing.
  "CREATE INDEX ledger_other_than_usage ON ledger_entries (account_id, type, seq) WHERE type <> 'usage'",
  `CREATE TABLE sweep_progress (task TEXT PRIMARY KEY, reached TEXT NOT NULL)${dialect === 'sqlite' ? ' STRICT' : ''}`,
  "INSERT INTO sweep_progress (task, reached) VALUES ('routing_details', '')",
];

/**
 * What the metadata says, so that the two cannot differ, nor rows of an instance of the version before lack it. PostgreSQL
 * reads only the one pair: its JSON functions refuse a text that has \u0000 anywhere. Within a value the quotes are escaped.
 */
const clientRequestId: Record<DialectName, string> = {
  sqlite: `(json_extract(metadata, '$.client_request_id')) VIRTUAL`,
  postgres: `(CASE WHEN strpos(metadata, '"client_request_id":"') > 0 THEN
    substring(metadata FROM '"client_request_id":("(?:[^"\\\\]|\\\\["\\\\bfnrt])*")')::json #>> '{}' END) STORED`,
};
