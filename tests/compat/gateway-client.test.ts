import { afterAll, beforeAll, expect, test } from 'vitest';
import { allScopes } from '#gateway/access/auth/scopes.ts';
import { type GatewayClient, gatewayClient } from '#shared/client/gateway-client.ts';
import { parseUsd } from '#shared/money.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { openGateway } from '../../gateway/open-gateway.ts';
import { testDatabase, testPepper } from '../gateway-doubles/test-database.ts';

/** Uses our own client in the gateway's process, without a socket, as the desktop app does. */
let gateway: Gateway;
let client: GatewayClient;

beforeAll(async () => {
  gateway = await openGateway({
    database: await testDatabase(),
    env: { PORTICO_KEY_PEPPER: testPepper },
    sandboxPace: 0,
  });
  const account = await gateway.operator.createAccount({ name: 'A', plan: 'pro' });
  await gateway.operator.grant({ accountId: account.id, amount: parseUsd('1') });
  const { key: apiKey } = await gateway.operator.createKey({ accountId: account.id, scopes: allScopes });
  client = gatewayClient({
    baseUrl: 'http://gateway.invalid',
    apiKey,
    fetch: (input, init) => gateway.fetch(new Request(input, init)),
  });
});
afterAll(() => gateway.close());

const user = (content: string) => [{ role: 'user' as const, content }];

test('a non-streaming answer and a streamed one have the same text', async () => {
  const body = { model: 'sandbox/tour', prompt: 'How does the router choose?' };
  const nonStreaming = await client.chat(body);
  let text = '';
  for await (const part of client.chatStream(body)) text += part.text;
  expect(text).toBe(nonStreaming.text);
  expect(Number(nonStreaming.cost_usd)).toBeGreaterThan(0);
});

test('the id of a stream names its record in the ledger, which has the cost from the stream', async () => {
  const stream = await client.completionStream({ model: 'sandbox/reasoner', messages: user('why?') });
  let cost: string | undefined;
  for await (const chunk of stream) cost = chunk.usage?.cost_usd ?? cost;
  const record = await client.requestRecord(stream.requestId ?? '');
  expect(record).toMatchObject({ status: 'succeeded', cost_usd: cost, provider: 'sandbox', model: 'reasoner' });
  expect((await client.usage()).totals.requests).toBeGreaterThan(0);
});

test('a refusal keeps its code, and so does a stream that breaks off', async () => {
  const refused = client.chat({ model: 'sandbox/flaky', prompt: 'hello' });
  await expect(refused).rejects.toMatchObject({ status_code: 503, code: 'upstream_overloaded', retryAfterMs: 1_000 });
  const stream = await client.completionStream({ model: 'sandbox/flaky', messages: user('cut') });
  const read = async () => {
    for await (const _chunk of stream);
  };
  await expect(read()).rejects.toMatchObject({ code: 'upstream_truncated' });
});

test('leaving a stream early ends its request in the ledger', async () => {
  const stream = await client.completionStream({ model: 'sandbox/slow', messages: user('x') });
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
  await expect.poll(async () => (await client.requestRecord(stream.requestId ?? '')).status).toBe('cancelled');
  expect((await client.credits()).held).toBe('0');
});

test('a gateway that reports a key as not valid counts as refusing it', async () => {
  const stranger = gatewayClient({
    baseUrl: 'http://gateway.invalid',
    apiKey: 'sk-canary',
    fetch: async () => Response.json({ valid: false }),
  });
  await expect(stranger.verify()).rejects.toMatchObject({ status_code: 401, code: 'invalid_api_key' });
});
