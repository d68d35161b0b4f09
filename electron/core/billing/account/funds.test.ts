import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { allScopes } from '#gateway/access/auth/scopes.ts';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { parseUsd } from '#shared/money.ts';
import { askedAndAnswered } from '../../../../tests/support/asked-and-answered.ts';
import { coreOfTest, type TestCoreOptions } from '../../../../tests/support/core-of-test.ts';
import { openPlainServer } from '../../../../tests/support/other-gateways.ts';
import { calculateOutlook } from './funds-feature.ts';

const start = (more: TestCoreOptions = {}) => coreOfTest({ openGateway, ...more });

async function openRemoteGateway(amount: string | null) {
  const gateway = await openGateway({ database: ':memory:', sandboxPace: 0 });
  const door = await listen(gateway, { port: 0 });
  const close = async () => {
    await door.close();
    await gateway.close();
  };
  onTestFinished(close);
  const { id: accountId } = await gateway.operator.createAccount({ name: 'Team' });
  if (amount !== null) await gateway.operator.grant({ accountId, amount: parseUsd(amount) });
  const { key } = await gateway.operator.createKey({ accountId, scopes: allScopes });
  return {
    url: door.url,
    key,
    close,
    grant: (more: string) => gateway.operator.grant({ accountId, amount: parseUsd(more) }),
  };
}

test('the outlook divides the balance by the average cost of past answers, and is unknown before the first one', async () => {
  const core = await start();
  const { client } = core;
  const unknown = { messagesLeft: null, daysLeft: null, basis: null, low: false };
  expect(await client.funds.outlook({ billingAccount: 'sandbox' })).toEqual(unknown);
  expect(await client.funds.outlook({ billingAccount: 'main' })).toEqual(unknown);
  for (const text of ['One', 'Two, and a little more']) await askedAndAnswered(core, 'sandbox/echo', text);
  const { transactions, available, total_used } = await client.credits.get({
    billingAccount: 'sandbox',
    type: 'usage',
  });
  expect(transactions.data).toHaveLength(2);
  const [left, spent] = [parseUsd(available ?? ''), parseUsd(total_used ?? '')];
  expect(spent).toBe(-transactions.data.reduce((sum, { amount }) => sum + parseUsd(amount), 0n));
  expect(await client.funds.outlook({ billingAccount: 'sandbox' })).toEqual({
    messagesLeft: Number((left * 2n) / spent),
    // One day of use is too little to estimate a day's cost.
    daysLeft: null,
    basis: { days: 1, requests: 2, costUsd: total_used },
    low: false,
  });
});

test('the balance counts as low when nothing is left, and no longer after a top-up', async () => {
  const team = await openRemoteGateway(null);
  const { client } = await start();
  await client.gatewayAccounts.add({ baseUrl: team.url, key: team.key });
  expect(await client.funds.outlook({ billingAccount: 'main' })).toMatchObject({ low: true, messagesLeft: null });
  await team.grant('50');
  expect(await client.funds.outlook({ billingAccount: 'main' })).toMatchObject({ low: false });
});

test.each([
  ['0.40', 4, 2, true],
  ['1.99', 19, 9, true],
  ['2.00', 20, 10, false],
])(
  'with $%s left, ten cents an answer and two answers a day, %i answers and %i days are left, and low is %s',
  (balance, messages, days, low) => {
    const now = Date.UTC(2026, 10, 24, 12);
    const sums = { held: '0', available: balance, total_granted: null, total_used: null, balance };
    const list = { object: 'list' as const, data: [], first_id: null, last_id: null, has_more: false };
    const counters = { requests: 22, succeeded: 20, failed: 2, cost_usd: '2' };
    const none = { cancelled: 0, prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0, reasoning_tokens: 0 };
    const totals = { ...counters, ...none, total_tokens: 0, byok_requests: 0, byok_upstream_cost_usd: '0' };
    const empty = { object: 'usage.bucket' as const, provider: null, model: null, key: null, status: null };
    // The average covers all ten days since the first use, although only two of them had any.
    const data = ['2026-11-15', '2026-11-24'].map((day) => ({ ...empty, ...totals, day }));
    const usage = { object: 'usage' as const, group_by: 'day' as const, period: null, totals, data, limits: [] };
    const page = { has_more: false, first_id: null, last_id: null };
    const credits = { object: 'credits' as const, currency: 'USD' as const, ...sums, transactions: list };
    expect(calculateOutlook(credits, { ...usage, ...page }, now)).toMatchObject({
      messagesLeft: messages,
      daysLeft: days,
      low,
      basis: { days: 10, requests: 20, costUsd: '2' },
    });
  },
);

test('credit lines are filtered by type and time, and a gateway that reports no usage has no outlook', async () => {
  const core = await start();
  const { client } = core;
  await askedAndAnswered(core, 'sandbox/echo', 'One');
  const types = async (filter: { type?: 'usage' | 'grant'; start?: number; end?: number }) =>
    (await client.credits.get({ billingAccount: 'sandbox', ...filter })).transactions.data.map(({ type }) => type);
  expect(await types({})).toEqual(['usage', 'grant']);
  expect(await types({ type: 'grant' })).toEqual(['grant']);
  expect(await types({ start: Date.now() + 60_000 })).toEqual([]);
  expect(await types({ end: Date.now() + 60_000 })).toEqual(['usage', 'grant']);
  const server = await openPlainServer();
  await client.gatewayAccounts.add({ baseUrl: server.baseUrl, key: server.key });
  expect(await client.funds.outlook({ billingAccount: 'main' })).toMatchObject({ messagesLeft: null, low: false });
  expect(await client.funds.budget({ billingAccount: 'main' })).toMatchObject({ spentUsd: null, share: null });
});

test('a budget belongs to one account and counts one month, and each account is read separately, even when another is unreachable', async () => {
  const team = await openRemoteGateway('5');
  const core = await start();
  const { client } = core;
  await client.funds.setBudget({ billingAccount: 'main', limitUsd: '20' });
  expect(await client.funds.budget({ billingAccount: 'main' })).toMatchObject({
    limitUsd: '20',
    spentUsd: '0',
    share: 0,
  });
  const { id } = await client.gatewayAccounts.add({ baseUrl: team.url, key: team.key });
  expect((await client.funds.budget({ billingAccount: 'main' })).limitUsd).toBeNull();
  const paid = await askedAndAnswered(core, 'sandbox/echo', randomUUID());
  await client.funds.setBudget({ billingAccount: 'main', limitUsd: '0.00001' });
  const budget = await client.funds.budget({ billingAccount: 'main' });
  expect(budget.spentUsd).toBe(paid.costUsd);
  expect(new Date(budget.start).getUTCDate()).toBe(1);
  await client.gatewayAccounts.use({ id: null });
  expect(await client.funds.account({ id: 'sandbox' })).toMatchObject({ balance: { amount: '10' } });
  expect((await client.funds.account({ id })).name).toBe('Team');
  await team.close();
  await expect(client.funds.account({ id })).rejects.toMatchObject({ code: 'gateway_unreachable' });
  expect((await client.funds.budget({ billingAccount: 'main' })).limitUsd).toBe('20');
});
