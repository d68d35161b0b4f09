import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { allScopes } from '#gateway/access/auth/scopes.ts';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { parseUsd } from '#shared/money.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { readThread } from '../../../../tests/support/read-thread.ts';

interface Refusal {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const busy = (code: string, waitMs: number, message = 'Too many.'): Refusal => ({
  status: 429,
  headers: { 'content-type': 'application/json', 'retry-after-ms': String(waitMs) },
  body: JSON.stringify({
    error: {
      message,
      type: 'rate_limit_error',
      param: null,
      code,
      status_code: 429,
      request_id: null,
      provider: null,
      retryable: true,
    },
  }),
});

/**
 * A core with a controllable clock, connected to a gateway behind a server that refuses requests as the test demands.
 */
async function connectedCore() {
  const gateway = await openGateway({ database: ':memory:', sandboxPace: 0 });
  const account = await gateway.operator.createAccount({ name: 'Team', plan: 'sandbox' });
  await gateway.operator.grant({ accountId: account.id, amount: parseUsd('1') });
  const { key } = await gateway.operator.createKey({ accountId: account.id, scopes: allScopes });
  const door = await listen(gateway, { port: 0 });
  const behind = { asked: [] as string[], refusal: null as Refusal | null };
  const server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://x');
    behind.asked.push(pathname);
    const sent = await text(request);
    if (behind.refusal) {
      response.writeHead(behind.refusal.status, behind.refusal.headers).end(behind.refusal.body);
      return;
    }
    const answer = await fetch(`${door.url}${pathname}${search}`, {
      method: request.method ?? 'GET',
      headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
      ...(sent ? { body: sent } : {}),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const clock = { ms: 0 };
  for (const close of [gateway.close, door.close, () => void server.close()]) onTestFinished(close);
  const core = await coreOfTest({ openGateway, elapsed: () => clock.ms });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { core, client: core.client, behind, clock, url, key };
}

test('a busy gateway is reported as busy and not called again until its wait is over', async () => {
  const { client, behind, clock, url, key } = await connectedCore();
  await client.gatewayAccounts.add({ baseUrl: url, key });
  await client.models.list();
  behind.refusal = busy('rate_limit_exceeded', 20_000, 'Too many requests. Wait as long as "Retry-After" says.');
  behind.asked.length = 0;
  const refused = (retryAfterMs: number) =>
    expect.objectContaining({
      code: 'rate_limit_exceeded',
      message: 'Too many requests.',
      data: expect.objectContaining({ retryAfterMs }),
    });
  await expect(client.credits.get({ billingAccount: 'main' })).rejects.toEqual(refused(20_000));
  clock.ms = 5_000;
  const period = { first: '2026-11-01', last: '2026-11-30', zone: 'UTC' };
  await expect(client.credits.get({ billingAccount: 'main', after: 'txn_1' })).rejects.toEqual(refused(15_000));
  await expect(client.usage.get({ billingAccount: 'main', groupBy: 'model', period })).rejects.toEqual(refused(20_000));
  const values = { code: 'rate_limit_exceeded', said: 'Too many requests.' };
  expect(await client.models.list()).toMatchObject({
    problem: { message: 'Too many requests.', refusal: { name: 'gatewaySaid', values } },
    retryAfterMs: 20_000,
  });
  expect((await client.models.list()).models.length).toBeGreaterThan(0);
  expect((await client.gateway.get()).status).toMatchObject({ state: 'busy', retryAfterMs: 20_000 });
  await client.gateway.get();
  expect(behind.asked).toEqual(['/v1/credits', '/v1/usage', '/v1/models', '/v1/auth/verify']);

  behind.refusal = null;
  clock.ms = 25_000;
  expect(await client.credits.get({ billingAccount: 'main' })).toMatchObject({ object: 'credits' });
  expect(await client.models.list()).toMatchObject({ problem: null, retryAfterMs: null });
  expect((await client.gateway.get()).status.state).toBe('ok');
});

test("a quote that was refused for lack of time is estimated and doesn't block the message", async () => {
  const { client, behind, url, key } = await connectedCore();
  await client.gatewayAccounts.add({ baseUrl: url, key });
  await client.models.list();
  behind.refusal = busy('rate_limit_exceeded', 20_000);
  behind.asked.length = 0;
  const ask = { conversationId: null, text: 'Hello', attachments: [], model: 'sandbox/echo' };
  for (let time = 0; time < 3; time++) {
    expect(await client.quotes.get(ask)).toMatchObject({ source: 'estimate', obstacles: [] });
  }
  expect(behind.asked).toEqual(['/v1/quote']);
  behind.refusal = null;
  const { conversationId } = await client.chat.send({ messageId: randomUUID(), text: 'Hello', model: 'sandbox/echo' });
  await eventually(async () => {
    const { messages } = await readThread(client, conversationId);
    expect(messages[1]).toMatchObject({ status: 'done' });
  });
});

test('connecting reports a rate limit after too many wrong keys, and a proxy that asks to wait', async () => {
  const { client, behind, clock, url, key } = await connectedCore();
  const connect = () => client.gatewayAccounts.add({ baseUrl: url, key });
  behind.refusal = busy('too_many_auth_failures', 9_000);
  await expect(connect()).rejects.toMatchObject({ code: 'too_many_auth_failures', data: { retryAfterMs: 9_000 } });
  clock.ms = 10_000;
  behind.refusal = { status: 429, headers: { 'retry-after': '3' }, body: '<h1>Too Many Requests</h1>' };
  await expect(connect()).rejects.toMatchObject({ code: 'rate_limit_exceeded', data: { retryAfterMs: 3_000 } });
  clock.ms = 20_000;
  behind.refusal = { status: 429, headers: {}, body: 'x' };
  await expect(connect()).rejects.toMatchObject({ code: 'rate_limit_exceeded', data: { retryAfterMs: null } });
});
