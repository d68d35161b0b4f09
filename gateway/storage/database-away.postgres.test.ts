import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { postgresPrograms, startPostgres, type TestPostgres } from '../../tests/gateway-doubles/start-postgres.ts';
import { testPepper } from '../../tests/gateway-doubles/test-database.ts';
import { allScopes } from '../access/auth/scopes.ts';
import { openGateway } from '../open-gateway.ts';

/** This file has its own server, because it stops and starts it. */

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres(postgresPrograms() ?? '');
});
afterAll(() => postgres.stop());

async function openOn(database: string) {
  const entries: Readonly<Record<string, unknown>>[] = [];
  const gateway = await openGateway({
    database,
    env: { PORTICO_KEY_PEPPER: testPepper },
    sandboxPace: 0,
    log: (entry) => void entries.push(entry),
  });
  onTestFinished(() => gateway.close());
  const { id } = await gateway.operator.createAccount({ name: 'A' });
  await gateway.operator.grant({ accountId: id, amount: parseUsd('1') });
  const { key } = await gateway.operator.createKey({ accountId: id, scopes: allScopes });
  const ask = (method: string, path: string, body?: object) =>
    gateway.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    );
  return { gateway, ask, entries };
}

const chat = { model: 'sandbox/echo', prompt: 'hello' };
const requests = [
  ['GET', '/account'],
  ['GET', '/v1/credits'],
  ['GET', '/v1/usage'],
  ['GET', '/v1/requests'],
  ['POST', '/v1/auth/verify'],
  ['POST', '/v1/quote', chat],
  ['POST', '/chat', chat],
  ['POST', '/chat', { ...chat, stream: true }],
] as const;

test('requests fail with 503 and Retry-After while the database is away, and succeed again when it is back', async () => {
  const { gateway, ask, entries } = await openOn(await postgres.createDatabase());
  const allAnswered = async () => {
    for (const [method, path, body] of requests) {
      const answer = await ask(method, path, body);
      expect(answer.status, path).toBe(200);
      await answer.text();
    }
  };
  await allAnswered();
  await postgres.crash();
  const away = requests.map(async ([method, path, body]) => {
    const answer = await ask(method, path, body);
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    return [path, answer.status, error.code, Number(answer.headers.get('retry-after')) > 0, error.message];
  });
  const outageMessage = 'The gateway cannot reach its database. Try again in a moment.';
  expect(await Promise.all(away)).toEqual(
    requests.map(([, path]) => [path, 503, 'server_overloaded', true, outageMessage]),
  );
  expect((await ask('GET', '/readyz')).status).toBe(503);
  expect((await ask('GET', '/healthz')).status).toBe(200);
  expect(entries).toContainEqual(
    expect.objectContaining({
      event: 'database_unreachable',
      message: expect.stringMatching(/ECONNREFUSED|terminated/),
    }),
  );
  expect(entries.filter(({ event }) => event === 'internal_error')).toEqual([]);

  await postgres.restart();
  await expect.poll(async () => (await ask('GET', '/readyz')).status).toBe(200);
  await allAnswered();
  const { checks, sums } = await gateway.operator.checkLedger();
  expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
  expect(sums).toMatchObject({ running: 0, held_usd: '0' });
});
