import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, onTestFinished, test } from 'vitest';
import { createDurableLog } from '../durable-log.ts';
import type { GatewayTables } from '../schema.ts';
import { sqliteDialect } from '../sqlite.ts';
import { allMigrations } from './all-migrations.ts';

test('counters of quotas and keys start with the sums of a database of the first version', async () => {
  const db = new Kysely<GatewayTables>({ dialect: sqliteDialect(':memory:', createDurableLog(':memory:')) });
  onTestFinished(() => db.destroy());
  const migrator = new Migrator({ db, provider: allMigrations('sqlite') });
  expect((await migrator.migrateTo('0001-books')).error).toBeUndefined();
  const account = { id: 'acct_1', name: 'A', email: null, plan: 'free', status: 'active' as const, created: 0n };
  await db
    .insertInto('accounts')
    .values({ ...account, balance: 90n, held: 7n, granted: 100n, used: 10n })
    .execute();
  const key = { id: 'key_1', account_id: 'acct_1', digest: Buffer.from('d'), prefix: 'p', scopes: '[]', created: 0n };
  await db.insertInto('api_keys').values(key).execute();
  const requests = [
    { id: 'req_1', day: '2026-10-31', charge: 4n, hold: 0n, status: 'succeeded' as const },
    { id: 'req_2', day: '2026-11-20', charge: 6n, hold: 0n, status: 'succeeded' as const },
    { id: 'req_3', day: '2026-11-20', charge: 0n, hold: 7n, status: 'running' as const },
  ];
  const common = {
    account_id: 'acct_1',
    key_id: 'key_1',
    instance_id: 'i',
    created: 0n,
    lease_until: 0n,
    metadata: '{}',
  };
  for (const request of requests) {
    await db
      .insertInto('requests')
      .values({ ...common, ...request, provider: 'p', model: 'm', byok: 0n })
      .execute();
  }
  for (const { day, charge, status } of requests.slice(0, 2)) {
    const tokens = { prompt_tokens: 0n, completion_tokens: 0n, cached_tokens: 0n, reasoning_tokens: 0n };
    const row = { account_id: 'acct_1', day, provider: 'p', model: 'm', key_id: 'key_1', status, byok: 0n };
    await db
      .insertInto('usage_daily')
      .values({ ...row, ...tokens, requests: 1n, charge, upstream_cost: charge })
      .execute();
  }
  expect((await migrator.migrateToLatest()).error).toBeUndefined();
  const counted = await db
    .selectFrom('accounts')
    .select(['day', 'day_requests', 'month', 'month_used'])
    .executeTakeFirst();
  expect(counted).toEqual({ day: '2026-11-20', day_requests: 2n, month: '2026-11', month_used: 6n });
  expect(await db.selectFrom('api_keys').select(['spent', 'held']).executeTakeFirst()).toEqual({
    spent: 10n,
    held: 7n,
  });
});
