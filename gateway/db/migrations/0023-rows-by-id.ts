import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open.ts';
import { commitWithModelLimits } from './0022-model-limits.ts';

/** On PostgreSQL a group of steps finds its rows by their ids, whatever the tables were like when its plans were made. */
export const rowsById = (dialect: DialectName): Migration => ({
  async up(db) {
    if (dialect === 'postgres') await sql.raw(commitWithModelLimits()).execute(db);
  },
});
