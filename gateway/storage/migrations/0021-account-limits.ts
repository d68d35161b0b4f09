import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';
import { accountText, commitFunction } from './0013-group-commit.ts';

/**
 * Spending limits that an account sets for itself by day and month, beside the quotas of its plan. Charges are counted by day as
 * they were by month. One key may be exempt.
 */
export const accountLimits = (dialect: DialectName): Migration => ({
  async up(db) {
    const int = dialect === 'sqlite' ? 'INTEGER' : 'BIGINT';
    for (const column of [
      `day_used ${int} NOT NULL DEFAULT 0`,
      `day_limit ${int} CHECK (day_limit >= 0)`,
      `month_limit ${int} CHECK (month_limit >= 0)`,
      'unlimited_key TEXT',
    ])
      await sql.raw(`ALTER TABLE accounts ADD COLUMN ${column}`).execute(db);
    await sql`UPDATE accounts SET day_used = coalesce((SELECT sum(charge) FROM usage_daily
      WHERE account_id = accounts.id AND usage_daily.day = accounts.day), 0)`.execute(db);
    if (dialect === 'sqlite') return;
    for (const text of [
      accountText(', a.day_used::text, a.day_limit::text, a.month_limit::text, a.unlimited_key'),
      commitFunction(['web_searches', 'image_tokens'], true),
    ])
      await sql.raw(text).execute(db);
  },
});
