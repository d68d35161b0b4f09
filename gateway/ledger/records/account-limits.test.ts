import { expect, onTestFinished, test } from 'vitest';
import { nanoUsd, parseUsd } from '#shared/money.ts';
import { testDatabase } from '../../../tests/gateway-doubles/test-database.ts';
import { getPlan } from '../../access/auth/plans.ts';
import type { Principal } from '../../access/auth/principal.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { getRefusals } from './account-limits.ts';

const now = Date.UTC(2026, 10, 20, 12);

/** An account with this balance that has used $0.25 of its month. */
async function principalWith(balance: string, plan: Partial<Principal['plan']>) {
  const { db } = await openDatabase(await testDatabase());
  onTestFinished(() => db.destroy());
  const [id, day] = ['acct_1', '2026-11-03'] as const;
  const base = getPlan('free');
  const account = { id, name: 'A', plan: base.id, status: 'active' as const, created: 0n };
  const model_limits = '{"lab/big":["1000000000","250000000","150000000"]}';
  const used = { month: day.slice(0, 7), month_used: parseUsd('0.25') };
  const money = { balance: parseUsd(balance), held: 0n, granted: 0n, used: 0n, ...used };
  await db
    .insertInto('accounts')
    .values({ ...account, ...money, model_limits })
    .execute();
  const tokens = { prompt_tokens: 1n, completion_tokens: 1n, cached_tokens: 0n, reasoning_tokens: 0n };
  const bucket = { account_id: id, day, provider: 'sandbox', model: 'echo', key_id: '', status: 'succeeded', byok: 0n };
  const spent = { requests: 3n, charge: parseUsd('0.25'), upstream_cost: 0n };
  await db
    .insertInto('usage_daily')
    .values({ ...bucket, ...tokens, ...spent })
    .execute();
  const principal = { accountId: id, plan: { ...base, ...plan }, credential: { id: null } } as unknown as Principal;
  return (hold: bigint, model = 'small') => getRefusals(db, principal, { provider: 'lab', model }, hold, now);
}

test('the monthly limit refuses a request that exceeds the rest of it by a nano-dollar', async () => {
  const refusals = await principalWith('10', { monthlySpend: parseUsd('1') });
  expect(await refusals(parseUsd('0.75'))).toEqual([]);
  expect(await refusals(nanoUsd(parseUsd('0.75') + 1n))).toMatchObject([
    { code: 'plan_limit_exceeded', name: 'monthly_spend_usd', limit: '1', used: '0.25', remaining: '0.75' },
  ]);
});

test('a model’s own limit counts running requests and applies to no other model', async () => {
  const refusals = await principalWith('10', { monthlySpend: null });
  expect(await refusals(parseUsd('0.6'), 'big')).toEqual([]);
  expect(await refusals(nanoUsd(parseUsd('0.6') + 1n), 'big')).toMatchObject([
    { code: 'plan_limit_exceeded', name: 'account_model_month_usd', model: 'lab/big', limit_value: '1' },
  ]);
  expect(await refusals(parseUsd('5'))).toEqual([]);
});

test('a prepaid balance refuses what it does not cover, and a metered one never refuses', async () => {
  const prepaid = await principalWith('0.5', { monthlySpend: null });
  expect(await prepaid(parseUsd('0.5'))).toEqual([]);
  expect(await prepaid(nanoUsd(parseUsd('0.5') + 1n))).toMatchObject([
    { code: 'insufficient_credits', needed_usd: '0.500000001', available_usd: '0.5' },
  ]);
  const metered = await principalWith('0', { monthlySpend: null, billing: 'meter_only' });
  expect(await metered(parseUsd('5'))).toEqual([]);
});

test('a request that costs nothing needs no balance, but a used-up daily quota refuses it', async () => {
  const free = await principalWith('0', { requestsPerDay: 0 });
  expect(await free(0n)).toMatchObject([{ code: 'plan_limit_exceeded', name: 'requests_per_day', remaining: '0' }]);
});
