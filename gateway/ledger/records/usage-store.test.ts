import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { usageGroup } from '#shared/wire/usage.ts';
import { getPlans } from '../../../tests/gateway-doubles/query-plans.ts';
import { onPostgres, testDatabase } from '../../../tests/gateway-doubles/test-database.ts';
import { type GatewayDb, openDatabase } from '../../storage/open-database.ts';
import { readUsage } from './usage-store.ts';

const [startMs, endMs] = [Date.UTC(2026, 9, 20, 4, 30), Date.UTC(2026, 10, 3, 17, 15)];
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Auckland', 'Asia/Kolkata'];

const request = fc.record({
  /** Around both ends of the period, and in the nights when clocks go back. */
  created: fc.oneof(
    fc.integer({ min: startMs - 86_400_000, max: endMs + 86_400_000 }),
    fc.integer({ min: Date.UTC(2026, 9, 24, 20), max: Date.UTC(2026, 9, 25, 4) }),
    fc.integer({ min: Date.UTC(2026, 10, 1, 3), max: Date.UTC(2026, 10, 1, 9) }),
  ),
  status: fc.constantFrom('succeeded' as const, 'failed' as const, 'cancelled' as const, 'running' as const),
  model: fc.constantFrom('gpt-x', 'gpt-y'),
  purpose: fc.constantFrom('title', null),
  conversation_id: fc.constantFrom('c1', 'c2', null),
  charge: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  prompt_tokens: fc.bigInt({ min: 0n, max: 9_999n }),
});

async function emptyLedger(): Promise<GatewayDb> {
  const { db } = await openDatabase(await testDatabase());
  onTestFinished(() => db.destroy());
  const account = { id: 'acct_1', name: 'A', email: null, plan: 'free', status: 'active' as const, created: 0n };
  const sums = { balance: 0n, held: 0n, granted: 0n, used: 0n };
  await db
    .insertInto('accounts')
    .values({ ...account, ...sums })
    .execute();
  return db;
}

const filter = { accountId: 'acct_1', startMs, endMs };

test('groups and days add up to the requests that ended in the period, for every grouping and time zone', async () => {
  const db = await emptyLedger();
  const property = fc.asyncProperty(
    fc.array(request, { maxLength: 25 }),
    fc.constantFrom(...zones),
    fc.constantFrom(...usageGroup.options),
    async (requests, zone, group) => {
      await store(db, requests);
      const within = requests.filter(
        ({ created, status }) => status !== 'running' && created >= startMs && created < endMs,
      );
      const expected = new Map<string, bigint>();
      const day = new Intl.DateTimeFormat('sv-SE', { timeZone: zone });
      for (const { created, charge } of within)
        expected.set(day.format(created), (expected.get(day.format(created)) ?? 0n) + charge);
      const { totals, buckets } = await readUsage(db, filter, { group, byDay: true, zone });
      const total = within.reduce((sum, { charge }) => sum + charge, 0n);
      expect(totals).toMatchObject({ requests: within.length, cost_usd: formatUsd(nanoUsd(total)) });
      const found = new Map<string, bigint>();
      for (const bucket of buckets) {
        const sum = found.get(bucket.day ?? '') ?? 0n;
        found.set(bucket.day ?? '', sum + BigInt(Math.round(Number(bucket.cost_usd) * 1e9)));
      }
      expect([...found].sort()).toEqual([...expected].sort());
    },
  );
  await fc.assert(property, { numRuns: 40 });
});

// PostgreSQL scans a small or unvacuumed table instead of the index.
test.skipIf(onPostgres())('local days are added up from the index alone', async () => {
  const db = await emptyLedger();
  for (const group of ['model', 'conversation', 'error'] as const) {
    const plans = await getPlans(db, (recorded) =>
      readUsage(recorded, filter, { group, byDay: true, zone: 'Asia/Kolkata' }),
    );
    // The last query plan that reads more than the few requests of unknown cost.
    const plan = plans.findLast((fields) => !/requests_of_unknown_cost/.test(fields));
    expect(plan).toMatch(/using covering index requests_by_time/i);
  }
});

test('requests of unknown cost are counted in each bucket, for UTC and local days', async () => {
  const db = await emptyLedger();
  const priced = { charge: 5n, status: 'succeeded' as const, error_code: null, purpose: null, conversation_id: null };
  const created = startMs + 3_600_000;
  await store(db, [
    { ...priced, model: 'known', created, prompt_tokens: 3n },
    { ...priced, model: 'house', created, prompt_tokens: 3n, charge: 0n },
    { ...priced, model: 'house', created: created + 86_400_000, prompt_tokens: 3n, charge: 0n },
    { ...priced, model: 'house', created, prompt_tokens: 0n, charge: 0n, status: 'failed', error_code: 'interrupted' },
    { ...priced, model: 'known', created, prompt_tokens: 4n, charge: 0n, status: 'cancelled' },
  ] as unknown as Request[]);
  await sql`update requests set price = '{}' where model = 'known'`.execute(db);
  for (const zone of ['UTC', 'Asia/Kolkata']) {
    const { totals, buckets } = await readUsage(db, filter, { group: 'model', byDay: false, zone });
    // A request of a killed process counts too: the provider may have worked on it.
    expect(totals).toMatchObject({ unknown_cost_requests: 2, unfinished_requests: 2 });
    const counts = buckets.map(({ model, requests, unknown_cost_requests }) => [
      model,
      requests,
      unknown_cost_requests,
    ]);
    expect(counts).toEqual([
      ['house', 3, 2],
      ['known', 2, 0],
    ]);
    const byDay = await readUsage(db, filter, { group: 'model', byDay: true, zone });
    expect(byDay.buckets.map(({ model, unknown_cost_requests }) => [model, unknown_cost_requests])).toEqual([
      ['house', 1],
      ['known', 0],
      ['house', 1],
    ]);
  }
});

test.skipIf(onPostgres())('requests of unknown cost are found by their own index', async () => {
  const db = await emptyLedger();
  const plans = await getPlans(db, (recorded) =>
    readUsage(recorded, filter, { group: 'model', byDay: false, zone: 'UTC' }),
  );
  expect(plans.some((plan) => /requests_of_unknown_cost/.test(plan))).toBe(true);
});

type Request = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

async function store(db: GatewayDb, requests: readonly Request[]): Promise<void> {
  await db.deleteFrom('usage_daily').execute();
  await db.deleteFrom('requests').execute();
  for (const [index, { created, ...fields }] of requests.entries()) {
    const day = new Date(created).toISOString().slice(0, 10);
    const rest = { account_id: 'acct_1', instance_id: 'i', metadata: '{}', hold: 0n, lease_until: 0n, byok: 0n };
    const ended = fields.status === 'running' ? null : BigInt(created);
    await db
      .insertInto('requests')
      .values({ ...fields, ...rest, id: `req_${index}`, provider: 'openai', created: BigInt(created), day, ended })
      .execute();
    if (fields.status === 'running') continue;
    const { model, status, charge, prompt_tokens } = fields;
    const counters = { completion_tokens: 0n, cached_tokens: 0n, reasoning_tokens: 0n, upstream_cost: 0n };
    await db
      .insertInto('usage_daily')
      .values({
        account_id: 'acct_1',
        day,
        provider: 'openai',
        model,
        key_id: '',
        status,
        byok: 0n,
        requests: 1n,
        prompt_tokens,
        charge,
        ...counters,
      })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'day', 'provider', 'model', 'key_id', 'status', 'byok']).doUpdateSet((row) => ({
          requests: row('usage_daily.requests', '+', 1n),
          prompt_tokens: row('usage_daily.prompt_tokens', '+', prompt_tokens),
          charge: row('usage_daily.charge', '+', charge),
        })),
      )
      .execute();
  }
}
