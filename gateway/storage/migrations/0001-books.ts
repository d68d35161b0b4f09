import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';

/** Accounts, keys, requests, the append-only ledger and the daily counters. */
export const firstTables = (dialect: DialectName): Migration => ({
  async up(db) {
    for (const statement of [...tables(dialect), ...indexes, ...(dialect === 'sqlite' ? sqliteFence : postgresFence)]) {
      await run(db, statement);
    }
  },
});

const run = (db: Kysely<unknown>, statement: string) => sql.raw(statement).execute(db);

function tables(dialect: DialectName): string[] {
  const sqlite = dialect === 'sqlite';
  const int = sqlite ? 'INTEGER' : 'BIGINT';
  const bytes = sqlite ? 'BLOB' : 'BYTEA';
  const serial = sqlite ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : 'BIGSERIAL PRIMARY KEY';
  const end = sqlite ? ') STRICT' : ')';
  return [
    `CREATE TABLE accounts (
      id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT, plan TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('active', 'suspended', 'closed')),
      balance ${int} NOT NULL DEFAULT 0, held ${int} NOT NULL DEFAULT 0 CHECK (held >= 0),
      granted ${int} NOT NULL DEFAULT 0, used ${int} NOT NULL DEFAULT 0, created ${int} NOT NULL
    ${end}`,
    `CREATE TABLE api_keys (
      id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES accounts (id), digest ${bytes} NOT NULL UNIQUE,
      prefix TEXT NOT NULL, label TEXT, scopes TEXT NOT NULL, created ${int} NOT NULL,
      expires_at ${int}, revoked_at ${int}, last_used_at ${int}
    ${end}`,
    `CREATE TABLE requests (
      id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES accounts (id), key_id TEXT REFERENCES api_keys (id),
      instance_id TEXT NOT NULL, created ${int} NOT NULL, day TEXT NOT NULL, ended ${int},
      status TEXT NOT NULL CHECK (status IN ('running', 'succeeded', 'failed', 'cancelled')), error_code TEXT,
      provider TEXT NOT NULL, model TEXT NOT NULL, purpose TEXT, conversation_id TEXT, metadata TEXT NOT NULL,
      byok ${int} NOT NULL, hold ${int} NOT NULL CHECK (hold >= 0), lease_until ${int} NOT NULL,
      charge ${int} NOT NULL DEFAULT 0 CHECK (charge >= 0), upstream_cost ${int} NOT NULL DEFAULT 0,
      estimated ${int} NOT NULL DEFAULT 0, prompt_tokens ${int} NOT NULL DEFAULT 0,
      completion_tokens ${int} NOT NULL DEFAULT 0, cached_tokens ${int} NOT NULL DEFAULT 0,
      cache_write_tokens ${int} NOT NULL DEFAULT 0, reasoning_tokens ${int} NOT NULL DEFAULT 0,
      first_token_ms ${int}, total_ms ${int}, price TEXT, routing TEXT,
      CHECK (status = 'running' OR hold = 0)
    ${end}`,
    `CREATE TABLE ledger_entries (
      seq ${serial}, id TEXT NOT NULL UNIQUE, account_id TEXT NOT NULL REFERENCES accounts (id),
      type TEXT NOT NULL, amount ${int} NOT NULL, balance_after ${int} NOT NULL, created ${int} NOT NULL,
      description TEXT, request_id TEXT REFERENCES requests (id), provider TEXT, model TEXT,
      estimated ${int} NOT NULL DEFAULT 0, idempotency_id TEXT UNIQUE
    ${end}`,
    `CREATE TABLE usage_daily (
      account_id TEXT NOT NULL REFERENCES accounts (id), day TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
      key_id TEXT NOT NULL, status TEXT NOT NULL, byok ${int} NOT NULL, requests ${int} NOT NULL,
      prompt_tokens ${int} NOT NULL, completion_tokens ${int} NOT NULL, cached_tokens ${int} NOT NULL,
      reasoning_tokens ${int} NOT NULL, charge ${int} NOT NULL, upstream_cost ${int} NOT NULL,
      PRIMARY KEY (account_id, day, provider, model, key_id, status, byok)
    ${end}`,
  ];
}

const indexes = [
  'CREATE INDEX api_keys_of_account ON api_keys (account_id, id)',
  'CREATE INDEX requests_of_account ON requests (account_id, id)',
  'CREATE INDEX requests_by_time ON requests (account_id, created)',
  "CREATE INDEX requests_running ON requests (lease_until) WHERE status = 'running'",
  'CREATE INDEX ledger_of_account ON ledger_entries (account_id, seq)',
  "CREATE UNIQUE INDEX ledger_one_usage ON ledger_entries (request_id) WHERE type = 'usage'",
];

const refusal = 'ledger entries are only ever added';

const sqliteFence = ['UPDATE', 'DELETE'].map(
  (change) => `CREATE TRIGGER ledger_refuses_${change.toLowerCase()} BEFORE ${change} ON ledger_entries
    BEGIN SELECT RAISE(ABORT, '${refusal}'); END`,
);

const postgresFence = [
  `CREATE FUNCTION ledger_refuses() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '${refusal}'; END $$`,
  `CREATE TRIGGER ledger_refuses_change BEFORE UPDATE OR DELETE ON ledger_entries
    FOR EACH ROW EXECUTE FUNCTION ledger_refuses()`,
  `CREATE TRIGGER ledger_refuses_truncate BEFORE TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuses()`,
];
