import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';
import { accountText, commitFunction, requestText } from './0013-group-commit.ts';

/** Monthly spending limits of an account for single models. A running request stores which model it uses. */
export const modelLimits = (dialect: DialectName): Migration => ({
  async up(db) {
    await sql`ALTER TABLE accounts ADD COLUMN model_limits TEXT`.execute(db);
    if (dialect === 'sqlite') return;
    for (const text of [
      accountText(', a.day_used::text, a.day_limit::text, a.month_limit::text, a.unlimited_key, a.model_limits'),
      requestText(', r.provider, r.model'),
      commitFunction(['web_searches', 'image_tokens'], true, true),
    ])
      await sql.raw(text).execute(db);
  },
});
