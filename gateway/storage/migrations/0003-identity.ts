import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';

/** Users, the keys that tokens are signed with, and revoked tokens (wire contract §4.6). */
export const identity = (dialect: DialectName): Migration => ({
  async up(db) {
    for (const statement of statements(dialect)) await run(db, statement);
  },
});

const run = (db: Kysely<unknown>, statement: string) => sql.raw(statement).execute(db);

function statements(dialect: DialectName): string[] {
  const sqlite = dialect === 'sqlite';
  const int = sqlite ? 'INTEGER' : 'BIGINT';
  const bytes = sqlite ? 'BLOB' : 'BYTEA';
  const end = sqlite ? ') STRICT' : ')';
  return [
    `ALTER TABLE accounts ADD COLUMN tokens_valid_after ${int} NOT NULL DEFAULT 0`,
    `CREATE TABLE users (
      id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES accounts (id), name TEXT NOT NULL, email TEXT,
      status TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
      tokens_valid_after ${int} NOT NULL DEFAULT 0, created ${int} NOT NULL
    ${end}`,
    'CREATE INDEX users_of_account ON users (account_id, id)',
    `CREATE TABLE token_keys (
      kid TEXT PRIMARY KEY, alg TEXT NOT NULL, public_jwk TEXT NOT NULL, sealed_key ${bytes} NOT NULL,
      created ${int} NOT NULL, signs_from ${int}, retires_at ${int}
    ${end}`,
    // When two processes create the first keys at the same time, one of them fails and uses the other's.
    'CREATE UNIQUE INDEX token_keys_one_standby ON token_keys (alg) WHERE signs_from IS NULL',
    `CREATE TABLE revoked_tokens (
      jti TEXT PRIMARY KEY, revoked ${int} NOT NULL, forget_after ${int} NOT NULL
    ${end}`,
  ];
}
