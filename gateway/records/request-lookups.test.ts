import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { type BooksDb, openBooks } from '../db/open.ts';
import { plansOf } from '../testing/query-plans.ts';
import { testDatabase } from '../testing/test-database.ts';
import { readCredits } from './credits-store.ts';
import { listRequests } from './requests-store.ts';

const count = 5_000;

/** An account whose requests each have a name of their own, ten of them a conversation, as one statement writes them. */
async function withRequests(): Promise<BooksDb> {
  const { db } = await openBooks(await testDatabase());
  onTestFinished(() => db.destroy());
  const account = { id: 'acct_1', name: 'A', email: null, plan: 'free', status: 'active' as const, created: 0n };
  await db
    .insertInto('accounts')
    .values({ ...account, balance: 0n, held: 0n, granted: 0n, used: 0n })
    .execute();
  await sql`
    insert into requests (id, account_id, instance_id, created, day, status, provider, model, metadata, conversation_id,
      byok, hold, lease_until)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
    select 'req_' || (10000 + i), 'acct_1', 'i', i, '2026-11-20', 'succeeded', 'sandbox', 'echo',
      '{"client_request_id":"answer ' || i || '"}', 'c' || (i / 10), 0, 0, 0 from n`.execute(db);
  return db;
}

const page = { limit: 20, order: 'desc' } as const;
const newest = Array.from({ length: 20 }, (_, at) => `req_${15000 - at}`);

test.each([
  [{}, 'requests_by_time', newest],
  [{ client_request_id: 'answer 42' }, 'requests_of_client_request', ['req_10042']],
  [{ conversation_id: 'c4' }, 'requests_of_conversation', Array.from({ length: 10 }, (_, at) => `req_${10049 - at}`)],
])('requests with %j are read in the order of %s, also from a moment or a request on', async (named, index, ids) => {
  const db = await withRequests();
  for (const narrowed of [{}, { start: 10, end: 6_000 }, { after: ids[0] }]) {
    const query = { ...page, ...named, ...narrowed };
    const plan = (await plansOf(db, (recorded) => listRequests(recorded, 'acct_1', query))).at(-1);
    expect(plan).toContain(index);
    expect(plan).not.toMatch(/sort|temp b-tree|scan requests$/i);
    const { data } = await listRequests(db, 'acct_1', query);
    expect(data.map(({ id }) => id).slice(0, 9)).toEqual(ids.slice('after' in narrowed ? 1 : 0).slice(0, 9));
  }
});

test('the few grants among many charges are found through an index', async () => {
  const db = await withRequests();
  await sql`insert into ledger_entries (id, account_id, type, amount, balance_after, created, request_id)
    select 'txn_' || id, account_id, case when created < 4 then 'grant' else 'usage' end, 1, 1, created, id
    from requests order by id`.execute(db);
  for (const narrowed of [{}, { after: 'txn_req_10003' }]) {
    const query = { ...page, ...narrowed, type: 'grant' as const };
    const plan = (await plansOf(db, (recorded) => readCredits(recorded, 'acct_1', query))).at(-1);
    expect(plan).toContain('ledger_other_than_usage');
    const { transactions } = await readCredits(db, 'acct_1', query);
    expect(transactions.data).toHaveLength('after' in narrowed ? 2 : 3);
  }
});
