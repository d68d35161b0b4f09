import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';

/** Signed reasoning state that clients drop in a tool loop, found by the calls that it led to (decision 051). */
export const reasoningState = (dialect: DialectName): Migration => ({
  async up(db) {
    for (const statement of statements(dialect)) await sql.raw(statement).execute(db);
  },
});

function statements(dialect: DialectName): string[] {
  const [int, bytes, end] = dialect === 'sqlite' ? ['INTEGER', 'BLOB', ') STRICT'] : ['BIGINT', 'BYTEA', ')'];
  return [
    `CREATE TABLE kept_reasoning (
      id TEXT PRIMARY KEY, account_id TEXT NOT NULL, expires ${int} NOT NULL, state ${bytes} NOT NULL
    ${end}`,
    'CREATE INDEX kept_reasoning_of_account ON kept_reasoning (account_id, expires)',
    'CREATE INDEX kept_reasoning_by_end ON kept_reasoning (expires)',
  ];
}
