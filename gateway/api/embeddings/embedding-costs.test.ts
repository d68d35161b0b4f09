import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';
import { openAiReply, openEmbeddings, usage, vector } from '../../../tests/gateway-doubles/open-embeddings.ts';
import { errorCode } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { sharedDatabase } from '../../../tests/gateway-doubles/test-database.ts';
import { errorReply } from '../../../tests/gateway-doubles/upstream-server.ts';
import { checkLedger } from '../../ledger/check-ledger.ts';
import { openDatabase } from '../../storage/open-database.ts';

test("OpenAI's own client gets embeddings as base64 and is charged to the nano-dollar", async () => {
  const { gateway, key, asked, records, call } = await openEmbeddings();
  const client = new OpenAI({
    apiKey: key,
    baseURL: 'http://127.0.0.1/v1',
    maxRetries: 0,
    fetch: (url, init) => gateway.fetch(new Request(url as string, init)),
  });
  const model = 'openai/text-embedding-3-small';
  const made = await client.embeddings.create({ model, input: ['a', 'b'], dimensions: 4 });
  expect(made.data.map(({ embedding }) => embedding)).toEqual(
    [vector, vector].map((numbers) => numbers.map(Math.fround)),
  );
  expect(made.usage).toMatchObject(usage);
  expect(asked()[0]).toMatchObject({
    path: '/v1/embeddings',
    body: { model: 'text-embedding-3-small', input: ['a', 'b'], encoding_format: 'base64', dimensions: 4 },
  });
  const [record] = await records();
  expect(record).toMatchObject({
    status: 'succeeded',
    prompt_tokens: 5,
    completion_tokens: 0,
    cost_usd: '0.0000001',
  });
  expect(await (await call('/v1/usage')).json()).toMatchObject({ data: [{ requests: 1, cost_usd: '0.0000001' }] });
});

test('embeddings that the balance does not cover are refused before a provider is called', async () => {
  const { embed, asked } = await openEmbeddings(openAiReply, { plan: 'pro', balance: '0.00000001' });
  expect(await errorCode(await embed({ input: 'some words' }))).toBe('insufficient_credits');
  expect(asked()).toEqual([]);
});

test("embeddings with the caller's own key use only this key and cost nothing", async () => {
  const { embed, asked, records, upstream } = await openEmbeddings();
  const own = { input: 'a', byoapi_key: 'own-key-of-the-caller' };
  expect((await embed(own)).status).toBe(200);
  expect(asked()[0]?.headers.authorization).toBe('Bearer own-key-of-the-caller');
  upstream.replyWith(errorReply(401, { error: { message: 'own-key-of-the-caller is bad' } }));
  const refused = await (await embed(own)).text();
  expect(refused).toContain('byoapi_key_rejected');
  expect(refused).not.toContain('own-key-of-the-caller');
  expect((await records()).map(({ cost_usd, byok }) => [cost_usd, byok])).toEqual([
    ['0', true],
    ['0', true],
  ]);
});

test('a client that disconnects still pays for the embeddings that the provider made', async () => {
  const waiting = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const { embed, records } = await openEmbeddings(async (call, response) => {
    if (call.method === 'POST') begun.resolve();
    await waiting.promise;
    await openAiReply(call, response);
  });
  const leaving = new AbortController();
  const answer = embed({ input: 'a' }, { signal: leaving.signal });
  await begun.promise;
  leaving.abort();
  waiting.resolve();
  await Promise.allSettled([answer]);
  await expect
    .poll(async () => (await records())[0], { interval: 200, timeout: 3000 })
    .toMatchObject({ status: 'cancelled', cost_usd: '0.0000001' });
});

test('the ledger is consistent after embeddings that succeeded, failed and were refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-embeddings-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const database = await sharedDatabase(folder);
  const { embed, upstream, gateway } = await openEmbeddings(openAiReply, { database });
  await embed({ input: ['a', 'b'] });
  await embed({ input: 'a', byoapi_key: 'own-key-of-the-caller' });
  upstream.replyWith(errorReply(500, {}));
  await embed({ input: 'a' });
  await embed({ input: [] });
  await gateway.close();
  const gatewayDb = await openDatabase(database);
  onTestFinished(() => gatewayDb.db.destroy());
  const report = await checkLedger(gatewayDb);
  expect(report).toMatchObject({ ok: true, sums: { requests: 3, used_usd: '0.0000001', held_usd: '0' } });
});
