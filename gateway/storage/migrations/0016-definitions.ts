import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';

/** Plans and providers that the operator defines by command, in the format of the configuration file (decision 052). */
export const definitions = (dialect: DialectName): Migration => ({
  async up(db) {
    const sqlite = dialect === 'sqlite';
    await sql
      .raw(`CREATE TABLE definitions (
        kind TEXT NOT NULL CHECK (kind IN ('plan', 'provider')), id TEXT NOT NULL, document TEXT NOT NULL,
        changed ${sqlite ? 'INTEGER' : 'BIGINT'} NOT NULL, PRIMARY KEY (kind, id)
      ${sqlite ? ') STRICT' : ')'}`)
      .execute(db);
  },
});
