import { once } from 'node:events';
import { connect } from 'node:net';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { requestList } from '#shared/wire/request-record.ts';
import { openHanging } from '../../../tests/gateway-doubles/hanging-stream.ts';
import { openTestGateway, type TestGatewayOptions } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../../../tests/gateway-doubles/recorded-streams.ts';
import { openUpstream, streamReply } from '../../../tests/gateway-doubles/upstream-server.ts';
import { listen } from '../../http/listen.ts';
import { Secret } from '../auth/secret.ts';
import { workLimits } from './overload.ts';

type Opened = Pick<Awaited<ReturnType<typeof openTestGateway>>, 'gateway' | 'key'>;

/** The gateway behind a socket, with a second account. */
async function openDoor<Gateway extends Opened>(opened: Gateway) {
  const { gateway } = opened;
  const server = await listen(gateway, { port: 0 });
  const agent = new Agent({ connections: null });
  onTestFinished(async () => {
    await agent.destroy();
    await server.close();
  });
  const account = await gateway.operator.createAccount({ name: 'Other', plan: 'enterprise' });
  await gateway.operator.grant({ accountId: account.id, amount: parseUsd('10') });
  const scopes = ['chat', 'models', 'account'] as const;
  const { key: other } = await gateway.operator.createKey({ accountId: account.id, label: 'other', scopes });
  const send = (path: string, key: string | null, body?: object) =>
    request(`${server.url}${path}`, {
      dispatcher: agent,
      method: body ? 'POST' : 'GET',
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      body: body ? JSON.stringify(body) : null,
    });
  const metric = (name: string) =>
    Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (.*)$`, 'm').exec(gateway.metrics())?.[1]);
  return { ...opened, ...server, other, send, metric };
}

const message = (content: string) => ({ model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content }] });
const streamed = { ...message('hi'), stream: true };
const chat = '/v1/chat/completions';

async function openAnswering(options: TestGatewayOptions) {
  const upstream = await openUpstream(streamReply(recordedStreams.openai.join('')));
  onTestFinished(upstream.close);
  const providers = { openai: { apiKey: new Secret('sk'), baseUrl: `${upstream.origin}/v1` } };
  return { ...(await openDoor(await openTestGateway({ plan: 'enterprise', providers, ...options }))), upstream };
}

test('under overload the account with most requests is refused first, other accounts and routes go on, and the gateway recovers', async () => {
  const opened = await openHanging({ plan: 'enterprise', workLimits: { answers: 4 } });
  const { key, other, send, metric } = await openDoor(opened);
  const running = [];
  for (let count = 0; count < 4; count += 1) running.push(await send(chat, key, streamed));
  expect(running.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  const refused = await send(chat, key, streamed);
  expect(refused.statusCode).toBe(503);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(refused.headers['retry-after-ms'])).toBeGreaterThanOrEqual(1_000);
  expect(refused.headers.connection).toBe('keep-alive');
  expect(await refused.body.json()).toMatchObject({
    error: { code: 'server_overloaded', type: 'server_error', status_code: 503, retryable: true },
  });
  const second = await send(chat, other, streamed);
  expect(second.statusCode).toBe(200);
  // Everyone else is refused before the credential is checked.
  expect((await send(chat, 'nobody', streamed)).statusCode).toBe(503);
  for (const [path, asking] of [['/healthz'], ['/readyz'], ['/v1/models', key], ['/account', other]] as const)
    expect((await send(path, asking ?? null)).statusCode, path).toBe(200);
  expect(metric('portico_shed_requests_total{reason="answers"}')).toBe(2);
  expect(metric('portico_errors_total{code="server_overloaded"}')).toBe(2);
  for (const { body } of [...running.slice(0, 2), second]) body.destroy();
  await expect.poll(async () => (await send(chat, key, streamed)).statusCode).toBe(200);
});

test('of many simultaneous requests some wait and some are refused, and each is charged completely or not at all', async () => {
  const limits = { alone: 1, mixed: 1, maxWaitMs: 3 };
  const times = Array.from({ length: 60 }, (_, index) => index);
  const { gateway, key, account, send, metric, entries } = await openAnswering({ workLimits: limits });
  // The connections are opened first, so that all requests arrive together.
  await Promise.all(times.map(async () => (await send('/healthz', null)).body.dump()));
  await (await send(chat, key, message('known'))).body.dump();
  const answers = await Promise.all(times.map(() => send(chat, key, message('hi'))));
  const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length;
  expect([count(200) + count(503), count(200) > 0, count(503) > 0]).toEqual([60, true, true]);
  expect(metric('portico_shed_requests_total{reason="turns"}')).toBe(count(503));
  expect(metric('portico_requests_total{method="POST",route="/v1/chat/completions",status="503"}')).toBe(count(503));
  for (const { body } of answers) await body.dump();
  expect((await send(chat, key, message('again'))).statusCode).toBe(200);
  const { data } = requestList.parse(await (await send('/v1/requests?limit=100', key)).body.json());
  expect(data.map(({ status }) => status)).toEqual(Array(count(200) + 2).fill('succeeded'));
  const listed = await gateway.operator.listAccounts();
  expect(listed.find(({ id }) => id === account.id)).toMatchObject({ held: 0n });
  expect([metric('portico_waiting_requests'), metric('portico_open_holds')]).toEqual([0, 0]);
  await gateway.close();
  const logged = entries
    .filter(({ event }) => event === 'overloaded')
    .reduce((sum, { refused }) => sum + Number(refused), 0);
  const single = entries.filter(({ event, status }) => event === 'request' && status === 503).length;
  expect(logged + single).toBe(count(503));
});

test('one request of an account goes before a hundred earlier requests of another', async () => {
  const { gateway, key, other, upstream } = await openAnswering({ workLimits: { alone: 1, mixed: 1 } });
  const ask = (credential: string, content: string) =>
    gateway.fetch(
      new Request(`http://127.0.0.1${chat}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
        body: JSON.stringify(message(content)),
      }),
    );
  // Both credentials are known from here on, because each has been looked up once.
  for (const credential of [key, other]) await (await ask(credential, 'first')).text();
  const many = Array.from({ length: 100 }, () => ask(key, 'many'));
  const one = ask(other, 'one');
  expect((await Promise.all([...many, one])).map(({ status }) => status)).toEqual(Array(101).fill(200));
  const order = upstream.calls.slice(2).map(({ body }) => JSON.stringify(body).includes('"one"'));
  expect(order.indexOf(true)).toBeLessThan(20);
});

/** Announces a body and sends nothing of it yet. */
async function announce(port: number, key: string, size: number) {
  const socket = connect(port, '127.0.0.1');
  const head = [
    `POST ${chat} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${size}`,
  ];
  await once(
    socket.on('error', () => {}),
    'connect',
  );
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return socket;
}

test('five announced bodies of 25 MB use up the memory of their account, not of another, until they end', async () => {
  const { key, other, port, send, metric } = await openAnswering({});
  const size = 25 * 1_024 * 1_024;
  const sockets = await Promise.all(Array.from({ length: 5 }, () => announce(port, key, size)));
  await expect.poll(() => metric('portico_body_bytes')).toBe(5 * size);
  expect(5 * size).toBeLessThanOrEqual(workLimits.bodies);
  const large = message('a long sentence. '.repeat(20_000));
  const sixth = await announce(port, key, size);
  const [answer] = await once(sixth, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1.1 503 .*\r\nretry-after: [1-9]/is);
  expect((await send(chat, key, message('small'))).statusCode).toBe(200);
  expect((await send(chat, other, large)).statusCode).toBe(200);
  sockets.push(await announce(port, other, size));
  await expect.poll(() => metric('portico_body_bytes')).toBe(6 * size);
  for (const socket of [...sockets, sixth]) socket.destroy();
  await expect.poll(() => metric('portico_body_bytes')).toBe(0);
  expect((await send(chat, key, large)).statusCode).toBe(200);
});

test('a request that a limit refuses releases its memory', async () => {
  const { gateway, key, pass } = await openTestGateway({ plan: 'enterprise', workLimits: { answers: 1 } });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ prompt: 'hi', provider: 'sandbox' });
  const quote = async () => {
    const request = new Request('http://127.0.0.1/v1/quote', { method: 'POST', headers, body });
    return (await gateway.fetch(request, { address: '203.0.113.7' })).status;
  };
  for (let asked = 0; asked < 120; asked += 1) expect(await quote()).toBe(200);
  expect([await quote(), await quote()]).toEqual([429, 429]);
  pass(61_000);
  expect(await quote()).toBe(200);
});
