import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';

/** Quotas of plans, spending limits of keys, and the answers stored for an `Idempotency-Key`. */
export const limits = (dialect: DialectName): Migration => ({
  async up(db) {
    for (const statement of [...columns(dialect), keptAnswers(dialect), ...indexes, ...backfill]) {
      await sql.raw(statement).execute(db);
    }
  },
});

function columns(dialect: DialectName): string[] {
  const int = dialect === 'sqlite' ? 'INTEGER' : 'BIGINT';
  return [
    "ALTER TABLE accounts ADD COLUMN day TEXT NOT NULL DEFAULT ''",
    `ALTER TABLE accounts ADD COLUMN day_requests ${int} NOT NULL DEFAULT 0`,
    "ALTER TABLE accounts ADD COLUMN month TEXT NOT NULL DEFAULT ''",
    `ALTER TABLE accounts ADD COLUMN month_used ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE api_keys ADD COLUMN spend_limit ${int} CHECK (spend_limit >= 0)`,
    `ALTER TABLE api_keys ADD COLUMN spent ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE api_keys ADD COLUMN held ${int} NOT NULL DEFAULT 0 CHECK (held >= 0)`,
    'ALTER TABLE api_keys ADD COLUMN parent_id TEXT REFERENCES api_keys (id)',
    'ALTER TABLE api_keys ADD COLUMN window_id TEXT',
    'ALTER TABLE requests ADD COLUMN end_user TEXT',
  ];
}

function keptAnswers(dialect: DialectName): string {
  const [int, bytes, end] = dialect === 'sqlite' ? ['INTEGER', 'BLOB', ') STRICT'] : ['BIGINT', 'BYTEA', ')'];
  return `CREATE TABLE kept_answers (
    id TEXT PRIMARY KEY, fingerprint ${bytes} NOT NULL, request_id TEXT NOT NULL,
    lease_until ${int}, expires ${int} NOT NULL, answer ${bytes},
    CHECK ((lease_until IS NULL) = (answer IS NOT NULL))
  ${end}`;
}

const indexes = ['CREATE INDEX kept_answers_by_end ON kept_answers (expires)'];

/** The new counters start with the sums of what the ledger already has. */
const backfill = [
  `UPDATE api_keys SET
    spent = coalesce((SELECT sum(charge) FROM requests WHERE key_id = api_keys.id), 0),
    held = coalesce((SELECT sum(hold) FROM requests WHERE key_id = api_keys.id), 0)`,
  `UPDATE accounts SET
    day = coalesce((SELECT max(day) FROM requests WHERE account_id = accounts.id), ''),
    month = coalesce((SELECT max(substr(day, 1, 7)) FROM usage_daily WHERE account_id = accounts.id), '')`,
  `UPDATE accounts SET
    day_requests = (SELECT count(*) FROM requests WHERE account_id = accounts.id AND requests.day = accounts.day),
    month_used = coalesce((SELECT sum(charge) FROM usage_daily
      WHERE account_id = accounts.id AND substr(usage_daily.day, 1, 7) = accounts.month), 0)`,
];
