import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';

/** Check values by which the database recognizes the secrets that its keys and tokens were made with (decision 112). */
export const keySecrets = (dialect: DialectName): Migration => ({
  async up(db) {
    const sqlite = dialect === 'sqlite';
    const integer = sqlite ? 'INTEGER' : 'BIGINT';
    await sql
      .raw(`CREATE TABLE key_secrets (
        place ${integer} PRIMARY KEY, check_value ${sqlite ? 'BLOB' : 'BYTEA'} NOT NULL UNIQUE, created ${integer} NOT NULL
      ${sqlite ? ') STRICT' : ')'}`)
      .execute(db);
  },
});
