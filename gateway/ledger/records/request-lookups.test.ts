import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { getPlans } from '../../../tests/gateway-doubles/query-plans.ts';
import { testDatabase } from '../../../tests/gateway-doubles/test-database.ts';
import { readCredits } from '../../api/records/credits-routes.ts';
import { listRequests, type RequestsQuery } from '../../api/records/requests-routes.ts';
import { type GatewayDb, openDatabase } from '../../storage/open-database.ts';

const count = 5_000;

/** Creates an account whose requests each have their own name, ten to a conversation, in one statement. */
async function withRequests(): Promise<GatewayDb> {
  const { db } = await openDatabase(await testDatabase());
  onTestFinished(() => db.destroy());
  const account = { id: 'acct_1', name: 'A', email: null, plan: 'free', status: 'active' as const, created: 0n };
  await db
    .insertInto('accounts')
    .values({ ...account, balance: 0n, held: 0n, granted: 0n, used: 0n })
    .execute();
  await sql`
    insert into requests (id, account_id, instance_id, created, day, status, provider, model, metadata, conversation_id,
      purpose, byok, hold, lease_until)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
    select 'req_' || (10000 + i), 'acct_1', 'i', i, '2026-11-20', 'succeeded', 'sandbox', 'echo',
      '{"client_request_id":"answer ' || i || '"}', 'c' || (i / 10), 'p' || (i / 10), 0, 0, 0 from n`.execute(db);
  return db;
}

const page = { limit: 20, order: 'desc' } as const;
const newest = Array.from({ length: 20 }, (_, position) => `req_${15000 - position}`);

test.each([
  [{}, 'requests_by_time', newest],
  [{ client_request_id: 'answer 42' }, 'requests_of_client_request', ['req_10042']],
  [
    { conversation_id: 'c4' },
    'requests_of_conversation',
    Array.from({ length: 10 }, (_, position) => `req_${10049 - position}`),
  ],
  [{ purpose: 'p4' }, 'requests_of_purpose', Array.from({ length: 10 }, (_, position) => `req_${10049 - position}`)],
])(
  'requests with %j are read in the order of %s, also when the list starts at a moment or a request',
  async (named, index, ids) => {
    const db = await withRequests();
    for (const narrowed of [{}, { start: 10, end: 6_000 }, { after: ids[0] }]) {
      const query = { ...page, ...named, ...narrowed };
      const plan = (await getPlans(db, (recorded) => listRequests(recorded, 'acct_1', query))).at(-1);
      expect(plan).toContain(index);
      expect(plan).not.toMatch(/sort|temp b-tree|scan requests$/i);
      const { data } = await listRequests(db, 'acct_1', query);
      expect(data.map(({ id }) => id).slice(0, 9)).toEqual(ids.slice('after' in narrowed ? 1 : 0).slice(0, 9));
    }
  },
);

test('the few grants among many charges are found through an index', async () => {
  const db = await withRequests();
  await sql`insert into ledger_entries (id, account_id, type, amount, balance_after, created, request_id)
    select 'txn_' || id, account_id, case when created < 4 then 'grant' else 'usage' end, 1, 1, created, id
    from requests order by id`.execute(db);
  for (const narrowed of [{}, { after: 'txn_req_10003' }]) {
    const query = { ...page, ...narrowed, type: 'grant' as const };
    const plan = (await getPlans(db, (recorded) => readCredits(recorded, 'acct_1', query))).at(-1);
    expect(plan).toContain('ledger_other_than_usage');
    const { transactions } = await readCredits(db, 'acct_1', query);
    expect(transactions.data).toHaveLength('after' in narrowed ? 2 : 3);
  }
});

describe('rare requests among many', () => {
  const days = ['2026-11-18', '2026-11-19', '2026-11-21'];
  const pick = <T>(values: readonly T[]) => fc.constantFrom(...values);
  const row = fc.record({
    day: pick(days),
    second: fc.integer({ min: 0, max: 86_399 }),
    status: pick(['running', 'succeeded', 'failed'] as const),
    provider: pick(['openai', 'google']),
    model: pick(['gpt-x', 'gemini-x']),
    key_id: pick(['key_1', null]),
    byok: pick([0n, 1n]),
    purpose: pick(['title', null]),
  });
  const narrowed = fc.record(
    {
      status: pick(['running', 'succeeded', 'failed'] as const),
      provider: pick(['openai', 'nobody']),
      model: pick(['gpt-x', 'openai/gpt-x', 'nothing']),
      key: pick(['key_1', 'key_9']),
      byok: fc.boolean(),
      purpose: pick(['title', 'other']),
      start: pick(days.map((day) => Date.parse(day) + 3_600_000)),
      end: pick(days.map((day) => Date.parse(day) + 7_200_000)),
    },
    { requiredKeys: [] },
  );

  test('rare requests are found with every filter, starting at any of them, in both directions', async () => {
    const { db } = await openDatabase(await testDatabase());
    onTestFinished(() => db.destroy());
    const account = { id: 'acct_1', name: 'A', email: null, plan: 'free', status: 'active' as const, created: 0n };
    await db
      .insertInto('accounts')
      .values({ ...account, balance: 0n, held: 0n, granted: 0n, used: 0n })
      .execute();
    const key = { id: 'key_1', account_id: 'acct_1', label: 'k', prefix: 'sk-', digest: Buffer.alloc(32), created: 0n };
    await db
      .insertInto('api_keys')
      .values({ ...key, scopes: '[]', expires_at: null, last_used_at: null, revoked_at: null, spent: 0n, held: 0n })
      .execute();
    const property = fc.asyncProperty(
      fc.array(row, { maxLength: 30 }),
      narrowed,
      pick(['asc', 'desc'] as const),
      fc.integer({ min: 1, max: 9 }),
      async (rows, query, order, limit) => {
        const all = rows.map(({ second, ...given }, position) => ({
          ...given,
          id: `req_${100 + position}`,
          created: BigInt(Date.parse(given.day) + second * 1_000),
        }));
        await replaceRequests(db, all);
        const matching = all
          .filter((request) => isMatch(request, query))
          .sort((a, b) => Number(a.created - b.created) || (a.id < b.id ? -1 : 1))
          .map(({ id }) => id);
        const expected = order === 'asc' ? matching : matching.toReversed();
        const found: string[] = [];
        for (let after: string | undefined; ; after = found.at(-1)) {
          const page = await listRequests(db, 'acct_1', { ...query, order, limit, after });
          found.push(...page.data.map(({ id }) => id));
          if (!page.has_more) break;
        }
        expect(found).toEqual(expected);
        const last = expected.at(-1);
        if (last === undefined) return;
        const before = await listRequests(db, 'acct_1', { ...query, order, limit, before: last });
        expect(before.data.map(({ id }) => id)).toEqual(expected.slice(0, -1).slice(-limit));
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  interface Given {
    readonly id: string;
    readonly created: bigint;
    readonly day: string;
    readonly status: 'running' | 'succeeded' | 'failed';
    readonly provider: string;
    readonly model: string;
    readonly key_id: string | null;
    readonly byok: bigint;
    readonly purpose: string | null;
  }

  async function replaceRequests(db: GatewayDb, all: readonly Given[]): Promise<void> {
    await db.deleteFrom('usage_daily').execute();
    await db.deleteFrom('requests').execute();
    for (const request of all) {
      const rest = { account_id: 'acct_1', instance_id: 'i', metadata: '{}', hold: 0n, lease_until: 0n };
      const ended = request.status === 'running' ? null : request.created;
      await db
        .insertInto('requests')
        .values({ ...request, ...rest, ended })
        .execute();
    }
    await sql`insert into usage_daily select account_id, day, provider, model, coalesce(key_id, ''), status, byok, count(*),
      0, 0, 0, 0, 0, 0 from requests where status <> 'running'
      group by account_id, day, provider, model, coalesce(key_id, ''), status, byok`.execute(db);
  }

  function isMatch(request: Given, query: Partial<RequestsQuery>): boolean {
    return (
      (query.status === undefined || request.status === query.status) &&
      (query.provider === undefined || request.provider === query.provider) &&
      (query.model === undefined || [request.model, `${request.provider}/${request.model}`].includes(query.model)) &&
      (query.key === undefined || request.key_id === query.key) &&
      (query.byok === undefined || (request.byok === 1n) === query.byok) &&
      (query.purpose === undefined || request.purpose === query.purpose) &&
      (query.start === undefined || request.created >= query.start) &&
      (query.end === undefined || request.created < query.end)
    );
  }

  test('rare requests are searched without reading the days that have none of them', async () => {
    const db = await withRequests();
    const plans = await getPlans(db, (recorded) => listRequests(recorded, 'acct_1', { ...page, model: 'nothing' }));
    expect(plans.filter((plan) => plan.includes('requests_by_time'))).toEqual([]);
  });
});
