import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { account, verification } from '#shared/wire/account.ts';
import { credits } from '#shared/wire/credits.ts';
import { requestList, requestRecord } from '#shared/wire/request-record.ts';
import { usage } from '#shared/wire/usage.ts';
import { errorCode, openTestGateway, testNow } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { allScopes } from '../../access/auth/scopes.ts';

async function withRequests(count: number) {
  const opened = await openTestGateway();
  for (let index = 0; index < count; index += 1) {
    const model = index % 2 ? 'sandbox/echo' : 'sandbox/tour';
    const response = await opened.post('/chat', {
      prompt: `hello ${index}`,
      model,
      metadata: { purpose: 'chat', conversation_id: `c${index % 3}` },
    });
    expect(response.status).toBe(200);
    opened.pass(1000);
  }
  return opened;
}

const json = async (response: Response) => {
  expect(response.status).toBe(200);
  return response.json();
};

describe("the account's records", () => {
  test('account, credits, usage and requests match their schemas and agree with each other', async () => {
    const { call } = await withRequests(6);
    const book = account.parse(await json(await call('/account')));
    const bill = credits.parse(await json(await call('/v1/credits?limit=100')));
    const used = usage.parse(await json(await call('/v1/usage')));
    const list = requestList.parse(await json(await call('/v1/requests?limit=100')));
    const sum = (amounts: readonly string[]) => amounts.reduce((total, amount) => total + parseUsd(amount), 0n);
    const charged = sum(list.data.map((entry) => entry.cost_usd));
    expect(charged).toBeGreaterThan(0n);
    expect(parseUsd(used.totals.cost_usd)).toBe(charged);
    expect(parseUsd(bill.total_used)).toBe(charged);
    expect(sum(bill.transactions.data.map((entry) => entry.amount))).toBe(parseUsd(bill.balance));
    expect(book.balance).toMatchObject({ amount: bill.balance, held: '0', available: bill.available });
    expect(book.usage).toMatchObject({ requests: 6, cost_usd: used.totals.cost_usd });
    expect(used.totals).toMatchObject({ requests: 6, succeeded: 6, failed: 0 });
  });

  test("request records keep the caller's id of its end user unchanged", async () => {
    const { post, call } = await openTestGateway();
    await post('/chat', { model: 'sandbox/echo', prompt: 'hi', user: 'Zoë <z@example.com>' });
    await post('/chat', { model: 'sandbox/echo', prompt: 'hi' });
    const { data } = requestList.parse(await json(await call('/v1/requests')));
    expect(data.map(({ user }) => user)).toEqual([null, 'Zoë <z@example.com>']);
  });

  test("a single request record contains the router's candidates, but a list does not", async () => {
    const { post, call } = await openTestGateway();
    const answer = await post('/chat', {
      model: 'router',
      provider: 'sandbox',
      prompt: 'hi',
      route: { ignore: ['sandbox/echo'] },
    });
    const id = answer.headers.get('x-request-id');
    expect((await json(answer)).routing.candidates).toBeUndefined();
    const record = requestRecord.parse(await json(await call(`/v1/requests/${id}`)));
    expect(record.routing?.candidates).toContainEqual({ id: 'sandbox/echo', excluded: ['request.ignore'] });
    expect(record.routing?.candidates?.find((entry) => entry.id === record.routing?.selected)).toHaveProperty('score');
    const { data } = requestList.parse(await json(await call('/v1/requests')));
    expect(data[0]?.routing).toEqual({ ...record.routing, candidates: undefined });
  });

  test.each(['day', 'model', 'provider', 'key', 'status'])('buckets by %s add up to the totals', async (group) => {
    const { call } = await withRequests(5);
    for (const period of [
      '',
      '&start=2026-11-20&end=2026-11-20',
      `&start=${testNow / 1000 - 5}&end=${testNow / 1000 + 500}`,
    ]) {
      const { data, totals } = usage.parse(await json(await call(`/v1/usage?group_by=${group}${period}`)));
      expect(data.length).toBeGreaterThan(0);
      for (const counter of ['requests', 'succeeded', 'prompt_tokens', 'completion_tokens', 'total_tokens'] as const) {
        expect(data.reduce((sum, bucket) => sum + Number(bucket[counter]), 0)).toBe(totals[counter]);
      }
      expect(data.reduce((sum, bucket) => sum + parseUsd(bucket.cost_usd), 0n)).toBe(parseUsd(totals.cost_usd));
      expect(totals.requests).toBe(5);
    }
  });

  test('usage can be narrowed to a model, a key and a part of a day', async () => {
    const { call, keyId } = await withRequests(5);
    const requests = async (query: string) => usage.parse(await json(await call(`/v1/usage?${query}`))).totals.requests;
    expect(await requests('model=tour')).toBe(3);
    expect(await requests('model=sandbox/echo')).toBe(2);
    expect(await requests(`key=${keyId}`)).toBe(5);
    expect(await requests('key=key_other')).toBe(0);
    expect(await requests('byok=true')).toBe(0);
    expect(await requests(`start=${testNow / 1000 + 2}&end=${testNow / 1000 + 4}`)).toBe(2);
  });

  test('usage counts each request once when a period begins and ends in the middle of a day', async () => {
    const { call, post, pass } = await openTestGateway();
    for (let quarter = 0; quarter < 12; quarter += 1) {
      expect((await post('/chat', { prompt: 'hi', model: 'sandbox/echo' })).status).toBe(200);
      pass(21_600_000);
    }
    const start = testNow / 1000;
    for (const [from, to] of [
      [0, 12],
      [1, 9],
      [1, 2],
      [2, 6],
      [3, 11],
    ] as const) {
      const period = `start=${start + from * 21_600}&end=${start + to * 21_600}`;
      const { totals } = usage.parse(await json(await call(`/v1/usage?${period}`)));
      expect([period, totals.requests]).toEqual([period, to - from]);
    }
  });

  test('usage lists the quotas of the plan', async () => {
    const { call } = await openTestGateway({ plan: 'free' });
    const { limits } = usage.parse(await json(await call('/v1/usage')));
    expect(limits).toMatchObject([
      { name: 'monthly_spend_usd', limit: '5', used: '0', remaining: '5', resets_at: Date.UTC(2026, 11, 1) / 1000 },
      { name: 'requests_per_day', limit: '200', remaining: '200', resets_at: Date.UTC(2026, 10, 21) / 1000 },
    ]);
  });

  test('a request is found by its id, but only by its own account', async () => {
    const { call, gateway } = await withRequests(1);
    const list = requestList.parse(await json(await call('/v1/requests')));
    const id = list.data[0]?.id ?? '';
    expect(requestRecord.parse(await json(await call(`/v1/requests/${id}`)))).toMatchObject({
      id,
      status: 'succeeded',
      purpose: 'chat',
      conversation_id: 'c0',
    });
    const other = await gateway.operator.createAccount({ name: 'Other' });
    const { key } = await gateway.operator.createKey({ accountId: other.id, scopes: allScopes });
    expect(await errorCode(await call(`/v1/requests/${id}`, { key }))).toBe('request_not_found');
    expect(requestList.parse(await json(await call('/v1/requests', { key }))).data).toEqual([]);
    expect(await errorCode(await call(`/v1/requests?after=${id}`, { key }))).toBe('invalid_query_parameter');
  });

  test('requests can be filtered', async () => {
    const { call } = await withRequests(6);
    const found = async (query: string) =>
      requestList.parse(await json(await call(`/v1/requests?${query}`))).data.length;
    expect(await found('conversation_id=c1')).toBe(2);
    expect(await found('model=sandbox/tour')).toBe(3);
    expect(await found('provider=openai')).toBe(0);
    expect(await found('status=succeeded&purpose=chat')).toBe(6);
    expect(await found('status=failed')).toBe(0);
    expect(await found(`start=${testNow / 1000 + 4}`)).toBe(2);
  });

  test("a request is found by the caller's own id, and not by a similar one", async () => {
    const { call, key } = await openTestGateway();
    const ask = (id: string, body: object = {}) =>
      call('/chat', {
        key,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-client-request-id': id },
        body: JSON.stringify({ prompt: 'hi', model: 'sandbox/echo', ...body }),
      });
    const sent = ['answer_1%', 'ANSWER_1%', 'answer11%', '"quoted"\\'];
    for (const id of sent) expect((await ask(id)).status).toBe(200);
    await ask('other', { metadata: { note: '","client_request_id":"answer_1%"' } });
    for (const id of sent) {
      const list = await json(await call(`/v1/requests?client_request_id=${encodeURIComponent(id)}`));
      expect(requestList.parse(list).data.map(({ metadata }) => metadata.client_request_id)).toEqual([id]);
    }
    expect((await json(await call('/v1/requests?client_request_id=nobody'))).data).toEqual([]);
  });

  test('verify returns no balance for a key without the scope "account"', async () => {
    const { call } = await openTestGateway({ scopes: ['chat'] });
    const answer = verification.parse(await json(await call('/v1/auth/verify', { method: 'POST', body: 'anything' })));
    expect(answer.account).toMatchObject({ name: 'Tester', balance: null, usage: null, email: null });
    const full = await openTestGateway();
    const known = verification.parse(await json(await full.call('/v1/auth/verify', { method: 'POST' })));
    expect(known.account.balance).toMatchObject({ amount: '10' });
    expect(known.credential).toMatchObject({ id: full.keyId, label: 'test', created: testNow / 1000 });
  });
});

describe('a cursor list', () => {
  test('a list that is read in pages of any size, in either direction, has every entry once', async () => {
    const { call, gateway, account: owner, pass } = await openTestGateway({ balance: '0' });
    const ids: string[] = [];
    for (let index = 1; index <= 23; index += 1) {
      ids.push((await gateway.operator.grant({ accountId: owner.id, amount: parseUsd(`${index}`) })).id);
    }
    const page = async (query: string) => credits.parse(await json(await call(`/credits?${query}`))).transactions;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.constantFrom('asc', 'desc'), async (limit, order) => {
        pass(60_000);
        const expected = order === 'asc' ? ids : ids.toReversed();
        const seen: string[] = [];
        let part = await page(`limit=${limit}&order=${order}`);
        for (;;) {
          seen.push(...part.data.map((entry) => entry.id));
          expect([part.first_id, part.last_id]).toEqual([part.data[0]?.id, part.data.at(-1)?.id]);
          if (!part.has_more) break;
          part = await page(`limit=${limit}&order=${order}&after=${part.last_id}`);
        }
        expect(seen).toEqual(expected);
        const back: string[] = [];
        let first: string | null = expected.at(-1) ?? null;
        for (;;) {
          part = await page(`limit=${limit}&order=${order}&before=${first}`);
          back.unshift(...part.data.map((entry) => entry.id));
          first = part.first_id;
          if (!part.has_more) break;
        }
        expect(back).toEqual(expected.slice(0, -1));
      }),
      { numRuns: 25 },
    );
  });

  test.each([
    'limit=0',
    'limit=101',
    'limit=1.5',
    'limit=abc',
    'limit=',
    'limit=1&limit=2',
    'order=up',
    'after=txn_unknown',
    'after=a&before=b',
    'type=gift',
    'start=yesterday',
    'start=2026-02-30',
    'end=99999999999999999',
  ])('the list of credits refuses ?%s', async (query) => {
    const { call } = await openTestGateway();
    expect(await errorCode(await call(`/v1/credits?${query}`))).toBe('invalid_query_parameter');
  });

  test.each(['start=2026-11-20&end=2026-11-19', 'start=2024-01-01', 'group_by=hour', 'byok=yes'])(
    'usage refuses ?%s',
    async (query) => {
      const { call } = await openTestGateway();
      expect(await errorCode(await call(`/v1/usage?${query}`))).toBe('invalid_query_parameter');
    },
  );

  test('an unknown query parameter is reported, not refused', async () => {
    const { call } = await openTestGateway();
    const response = await call('/credits?limt=5&order=asc');
    expect([response.status, response.headers.get('x-portico-warnings')]).toEqual([200, 'unknown_parameter=limt']);
  });
});
