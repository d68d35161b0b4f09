import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { account } from '#shared/wire/account.ts';
import { credits } from '#shared/wire/credits.ts';
import { apiKeyList, createdApiKey } from '#shared/wire/key.ts';
import { requestList } from '#shared/wire/request-record.ts';
import { usage } from '#shared/wire/usage.ts';
import { errorCode, openTestGateway, testNow } from './open-test-gateway.ts';
import { postgresPrograms, startPostgres, type TestPostgres } from './start-postgres.ts';

const programs = postgresPrograms();
const env = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };

describe.skipIf(programs === null)('gateways on one PostgreSQL database', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres(programs ?? '');
  });
  afterAll(() => postgres.stop());

  test('start together, serve the same ledger and agree about it', async () => {
    const shared = { database: await postgres.createDatabase(), env };
    const [first, second] = await Promise.all([openTestGateway(shared), openTestGateway(shared)]);
    const asked = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        (index % 2 ? first : second).post(
          '/chat',
          { prompt: `hello ${index}`, model: index % 3 ? 'sandbox/tour' : 'sandbox/echo' },
          { headers: { authorization: `Bearer ${first.key}` } },
        ),
      ),
    );
    expect(asked.map((response) => response.status)).toEqual(Array(12).fill(200));
    const read = async (path: string) => (await second.call(path, { key: first.key })).json();
    const bill = credits.parse(await read('/v1/credits?limit=100'));
    const balances = bill.transactions.data.toReversed();
    let sum = 0n;
    for (const line of balances) {
      sum += parseUsd(line.amount);
      expect(parseUsd(line.balance_after)).toBe(sum);
    }
    expect(parseUsd(bill.balance)).toBe(sum);
    expect(requestList.parse(await read('/v1/requests?limit=100&status=succeeded')).data).toHaveLength(12);
    for (const group of ['day', 'model', 'provider', 'key', 'status']) {
      for (const period of ['', `&start=${testNow / 1000 - 1}&end=${testNow / 1000 + 1}&model=sandbox/tour`]) {
        const { data, totals } = usage.parse(await read(`/v1/usage?group_by=${group}${period}`));
        expect(totals.requests).toBe(period === '' ? 12 : 8);
        expect(data.reduce((count, bucket) => count + Number(bucket.requests), 0)).toBe(totals.requests);
      }
    }
    expect(account.parse(await read('/account')).balance).toMatchObject({ held: '0', amount: bill.balance });
    const report = await second.gateway.operator.checkLedger();
    expect(report.checks.flatMap((check) => check.problems)).toEqual([]);
    expect(report.sums).toMatchObject({ accounts: 2, requests: 12, held_usd: '0' });
  });

  test('a key that one gateway revokes is refused by the other within two seconds', async () => {
    const shared = { database: await postgres.createDatabase(), env };
    const [first, second] = await Promise.all([openTestGateway(shared), openTestGateway(shared)]);
    expect((await second.call('/account', { key: first.key })).status).toBe(200);
    await first.gateway.operator.revokeKey(first.keyId);
    expect(await errorCode(await first.call('/account'))).toBe('invalid_api_key');
    second.pass(2000);
    expect(await errorCode(await second.call('/account', { key: first.key }))).toBe('invalid_api_key');
  });

  test('tokens of one gateway are accepted by the other, and both publish the same signing key', async () => {
    const shared = { database: await postgres.createDatabase(), env };
    const [first, second] = await Promise.all([openTestGateway(shared), openTestGateway(shared)]);
    const user = await first.gateway.operator.createUser({ accountId: first.account.id, name: 'Ada' });
    const wanted = { userId: user.id, scopes: ['account'], lifetimeS: 60 } as const;
    const [mine, theirs] = await Promise.all([
      first.gateway.operator.issueToken(wanted),
      second.gateway.operator.issueToken(wanted),
    ]);
    for (const { token } of [mine, theirs]) {
      for (const { call } of [first, second]) expect((await call('/account', { key: token })).status).toBe(200);
    }
    const { keys } = (await (await first.call('/.well-known/jwks.json')).json()) as { keys: unknown[] };
    expect(keys).toHaveLength(2);
    await first.gateway.operator.rotateTokenKeys({ atOnce: true });
    second.pass(2000);
    expect(await errorCode(await second.call('/account', { key: theirs.token }))).toBe('invalid_token');
  });

  test('a key made at one gateway has one limit at both, and either replays its answers', async () => {
    const shared = { database: await postgres.createDatabase(), env };
    const [first, second] = await Promise.all([openTestGateway(shared), openTestGateway(shared)]);
    const made = await first.post('/v1/keys', { spend_limit_usd: '0.001', label: 'shared' });
    const { key, id } = createdApiKey.parse(await made.json());
    const headers = { authorization: `Bearer ${key}` };
    const asked = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        (index % 2 ? first : second).post(
          '/chat',
          { prompt: 'hi', model: 'sandbox/echo', max_tokens: 200 },
          { headers },
        ),
      ),
    );
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200, 402]));
    const { data } = apiKeyList.parse(await (await second.call('/v1/keys', { key: first.key })).json());
    const listed = data.find((candidate) => candidate.id === id);
    expect(listed).toMatchObject({ held_usd: '0', label: 'shared' });
    expect(parseUsd(listed?.spent_usd ?? '1')).toBeLessThanOrEqual(parseUsd('0.001'));
    const again = { prompt: 'again', model: 'sandbox/echo' };
    const init = { headers: { authorization: `Bearer ${first.key}`, 'idempotency-key': 'k1' } };
    const original = await first.post('/chat', again, init);
    const replayed = await second.post('/chat', again, init);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(await replayed.text()).toBe(await original.text());
    expect((await second.call(`/v1/keys/${id}`, { method: 'DELETE', key: first.key })).status).toBe(200);
    first.pass(2000);
    expect(await errorCode(await first.post('/chat', again, { headers }))).toBe('invalid_api_key');
  });

  test('an error about an unreachable server contains the reason and not the password', async () => {
    await expect(openTestGateway({ database: 'postgres://someone:hunter2@127.0.0.1:1/ledger', env })).rejects.toThrow(
      /^The database could not be opened: (?!.*hunter2)/,
    );
  });
});
