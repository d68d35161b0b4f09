import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { errorCode, openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { testDatabase } from '../../../tests/gateway-doubles/test-database.ts';
import { createHealth, type Health } from '../../engine/routing/health.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { postgresCluster } from './cluster.ts';

/** Reads have their own rate limit for each key, so polling must not be too fast. */
const soon = { timeout: 20_000, interval: 200 };

/** Opens two gateways on one database. Their clocks stand still, so nothing cached expires. */
async function openTwo() {
  const database = await testDatabase();
  const shared = { database };
  const [gatewayA, gatewayB] = await Promise.all([openTestGateway(shared), openTestGateway(shared)]);
  const admin = new pg.Client({ connectionString: database });
  await admin.connect();
  onTestFinished(() => admin.end());
  const user = await gatewayA.gateway.operator.createUser({ accountId: gatewayA.account.id, name: 'Ada' });
  const issued = await gatewayA.gateway.operator.issueToken({ userId: user.id, scopes: ['account'], lifetimeS: 60 });
  /** Returns what two answers to a credential of one: the status, and the code if there is one. */
  const seen = async (credential: string) => {
    const response = await gatewayB.call('/account', { key: credential });
    return response.status === 200 ? 'served' : errorCode(response);
  };
  await expect.poll(() => seen(gatewayA.key), soon).toBe('served');
  await expect.poll(() => seen(issued.token), soon).toBe('served');
  return { database, gatewayA, gatewayB, admin, user, issued, seen };
}

describe('a change on one instance reaches the others at once', () => {
  test('a revoked key is refused', async () => {
    const { gatewayA, seen } = await openTwo();
    await gatewayA.gateway.operator.revokeKey(gatewayA.keyId);
    await expect.poll(() => seen(gatewayA.key), soon).toBe('invalid_api_key');
  });

  test('a suspended account is refused, and served again when it is resumed', async () => {
    const { gatewayA, seen } = await openTwo();
    await gatewayA.gateway.operator.setAccountStatus(gatewayA.account.id, 'suspended');
    await expect.poll(() => seen(gatewayA.key), soon).toBe('account_suspended');
    await gatewayA.gateway.operator.setAccountStatus(gatewayA.account.id, 'active');
    await expect.poll(() => seen(gatewayA.key), soon).toBe('served');
  });

  test('a revoked token, a disabled user and a rotated signing key are refused', async () => {
    const { gatewayA, user, issued, seen } = await openTwo();
    const next = () => gatewayA.gateway.operator.issueToken({ userId: user.id, scopes: ['account'], lifetimeS: 60 });
    await gatewayA.gateway.operator.revokeTokens(issued.id);
    await expect.poll(() => seen(issued.token), soon).toBe('invalid_token');
    const second = await next();
    await expect.poll(() => seen(second.token), soon).toBe('served');
    await gatewayA.gateway.operator.setUserStatus(user.id, 'disabled');
    await expect.poll(() => seen(second.token), soon).toBe('invalid_token');
    await gatewayA.gateway.operator.setUserStatus(user.id, 'active');
    await expect.poll(() => seen(second.token), soon).toBe('served');
    await gatewayA.gateway.operator.rotateTokenKeys({ atOnce: true });
    await expect.poll(() => seen(second.token), soon).toBe('invalid_token');
  });

  test('a plan that was changed by hand in the database applies', async () => {
    const { gatewayA, gatewayB, admin } = await openTwo();
    const plan = async () =>
      ((await (await gatewayB.call('/account', { key: gatewayA.key })).json()) as AccountPlan).plan.id;
    expect(await plan()).toBe('pro');
    await admin.query('UPDATE accounts SET plan = $1 WHERE id = $2', ['free', gatewayA.account.id]);
    await expect.poll(plan, soon).toBe('free');
  });

  test('a change during a lost connection is seen as soon as the connection is back', async () => {
    const { database, gatewayA, seen, admin } = await openTwo();
    const name = new URL(database).pathname.slice(1);
    const server = new pg.Client({ connectionString: new URL('/postgres', database).href });
    await server.connect();
    await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    const cut = await admin.query(
      "SELECT pg_terminate_backend(pid, 15000) FROM pg_stat_activity WHERE datname = $1 AND query LIKE 'LISTEN%'",
      [name],
    );
    expect(cut.rowCount).toBe(2);
    // Only what is cached from here on can't be dropped by a notification that was still on its way.
    expect(await seen(gatewayA.key)).toBe('served');
    await admin.query('UPDATE api_keys SET revoked_at = 1 WHERE id = $1', [gatewayA.keyId]);
    expect(await seen(gatewayA.key)).toBe('served');
    await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await server.end();
    await expect.poll(() => seen(gatewayA.key), soon).toBe('invalid_api_key');
  });
});

interface AccountPlan {
  readonly plan: { readonly id: string };
}

describe('a model that fails on one instance', () => {
  /** Opens instances with only their health shared. Their clocks are an hour apart. */
  async function instances(count: number) {
    const url = await testDatabase();
    const gatewayDb = await openDatabase(url);
    onTestFinished(() => gatewayDb.db.destroy());
    const log = () => {};
    const open = async (index: number) => {
      let time = Date.now() + index * 3_600_000;
      const cluster = postgresCluster({ gatewayDb, url, instanceId: `inst_${index}`, clock: null, log });
      const health = createHealth(() => time, cluster.share);
      await cluster.join({ forget: () => {}, health });
      onTestFinished(() => cluster.close());
      const pass = (ms: number) => {
        time += ms;
      };
      return { health, pass };
    };
    const first = await open(0);
    return { first, others: await Promise.all(Array.from({ length: count - 1 }, (_, index) => open(index + 1))), open };
  }

  const failFiveTimes = (health: Health) => {
    for (let index = 0; index < 5; index += 1)
      health.failed('m', index % 2 ? 'ada' : 'bob', new AppError('upstream_error', 'x'));
  };

  test('a failing model is avoided by all instances, also by an instance that starts later, and by none once it works again', async () => {
    const { first, others, open } = await instances(2);
    const [second] = others;
    failFiveTimes(first.health);
    await expect.poll(() => second?.health.of('m').circuit, soon).toBe('open');
    const third = await open(2);
    await expect.poll(() => third.health.of('m').circuit, soon).toBe('open');
    second?.pass(30_000);
    expect(second?.health.of('m').circuit).toBe('half_open');
    second?.health.begin('m', 'ada');
    second?.health.succeeded('m', 'ada', { firstTokenMs: 1, tokensPerSecond: 1 });
    await expect.poll(() => first.health.of('m').circuit, soon).toBe('closed');
    await expect.poll(() => third.health.of('m').circuit, soon).toBe('closed');
  });

  test('a failing model cools down everywhere for as long as its provider asked', async () => {
    const { first, others } = await instances(2);
    first.health.failed('m', 'ada', new AppError('upstream_rate_limited', 'x', { retryAfterMs: 20_000 }));
    await expect.poll(() => others[0]?.health.of('m').coolingDown, soon).toBe(true);
    others[0]?.pass(20_000);
    expect(others[0]?.health.of('m').coolingDown).toBe(false);
  });

  test('a circuit that opens again opens for longer, whichever instance made the probe', async () => {
    const { first, others } = await instances(2);
    const [second] = others;
    failFiveTimes(first.health);
    await expect.poll(() => second?.health.of('m').circuit, soon).toBe('open');
    second?.pass(30_000);
    second?.health.begin('m', 'ada');
    second?.health.failed('m', 'ada', new AppError('upstream_error', 'x'));
    first.pass(31_000);
    await expect.poll(() => first.health.of('m').circuit, soon).toBe('open');
    second?.pass(59_000);
    expect(second?.health.of('m').circuit).toBe('open');
  });
});

test('limits apply to all instances together', async () => {
  const shared = { database: await testDatabase() };
  const gateways = await Promise.all([0, 1, 2].map(() => openTestGateway({ ...shared, plan: 'free' })));
  const [first] = gateways;
  if (!first) throw new Error('unreachable');
  const init = { headers: { authorization: `Bearer ${first.key}` } };
  const statuses: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const responses = gateways.map(({ post }) =>
      post('/chat', { model: 'sandbox/echo', prompt: 'hi', max_tokens: 9 }, init),
    );
    for (const { status } of await Promise.all(responses)) statuses.push(status);
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
});
