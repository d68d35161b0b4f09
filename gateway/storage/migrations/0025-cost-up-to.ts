import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';
import { commitFunction } from './0013-group-commit.ts';

/**
 * A request whose answer broke off before its token counts arrived stores the most that it may have cost. Zero for earlier
 * requests.
 */
export const costUpTo = (dialect: DialectName): Migration => ({
  async up(db) {
    const int = dialect === 'sqlite' ? 'INTEGER' : 'BIGINT';
    await sql.raw(`ALTER TABLE requests ADD COLUMN cost_up_to ${int} NOT NULL DEFAULT 0`).execute(db);
    if (dialect === 'sqlite') return;
    await sql.raw(commitFunction(['web_searches', 'image_tokens', 'cost_up_to'], true, true)).execute(db);
  },
});
