import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openGateway } from '#gateway/open-gateway.ts';
import { parseUsd } from '#shared/money.ts';
import { chatEnded } from '../../../../tests/support/chat-ended.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { disagreements } from '../../../../tests/support/ledger-agrees.ts';
import { openPricedUpstream, pricedModel } from '../../../../tests/support/priced-upstream.ts';
import { readThread, readTotal } from '../../../../tests/support/read-thread.ts';

/** Opens a core with the real gateway. Its key for OpenAI leads to a server that the test controls. */
async function open() {
  const upstream = await openPricedUpstream(() => ({ promptTokens: 1000, completionTokens: 100 }));
  onTestFinished(upstream.close);
  const core = await coreOfTest({ openGateway, env: upstream.env });
  const { client } = core;
  await client.models.list();
  const ask = async (model = pricedModel) => {
    const sent = await client.chat.send({ messageId: randomUUID(), text: 'Hello?', model });
    await chatEnded(client, sent.conversationId);
    const read = async () => (await readThread(client, sent.conversationId)).messages[1];
    await eventually(async () => expect((await read())?.status).not.toBe('streaming'));
    return { ...sent, read, total: () => readTotal(client, sent.conversationId) };
  };
  return { ...core, upstream, ask };
}

const start = (content: string) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;

test('an answer with the user’s own key costs its list price, exactly as in the ledger', async () => {
  const { ask, dataFolder } = await open();
  const { read, total } = await ask();
  // 1,000 × $0.15 and 100 × $0.60 per million tokens.
  expect(await read()).toMatchObject({ status: 'done', costUsd: '0.00021', costSource: 'byok' });
  expect(await total()).toMatchObject({ usd: '0.00021', requests: 1, unknown: 0, notBilled: 1 });
  await eventually(async () => expect(disagreements(dataFolder)).toEqual([]));
  const ledger = new Sqlite(join(dataFolder, 'gateway.db'), { readonly: true });
  // The cost arrives with the answer's last chunk, a moment before the ledger is flushed into the file.
  await eventually(async () =>
    expect(ledger.prepare('select sum(amount) from ledger_entries where request_id is not null').pluck().get()).toBe(
      -210_000,
    ),
  );
  ledger.close();
});

test('an answer that breaks off with the user’s own key has an estimated cost, not $0', async () => {
  const { ask, upstream, dataFolder } = await open();
  upstream.replyWith((_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(start('Half an answer'), () => response.destroy());
  });
  const { read, total } = await ask();
  await eventually(async () => expect(await total()).toMatchObject({ requests: 1, unknown: 0 }));
  const answer = await read();
  expect(answer).toMatchObject({ status: 'error', costSource: 'estimated', text: 'Half an answer' });
  expect(parseUsd(answer?.costUsd ?? '0')).toBeGreaterThan(0n);
  expect((await total()).usd).toBe(answer?.costUsd);
  expect(disagreements(dataFolder)).toEqual([]);
});

test('a request that the provider or the gateway refuses is marked as not charged', async () => {
  const { ask, upstream } = await open();
  upstream.replyWith((_call, response) => {
    const error = { message: 'Slow down.', type: 'rate_limit_error', code: 'rate_limit_exceeded' };
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' }).end(JSON.stringify({ error }));
  });
  const uncharged = { status: 'error', costUsd: '0', costSource: 'uncharged' };
  const refused = await ask();
  await eventually(async () => expect(await refused.read()).toMatchObject(uncharged));
  expect(await refused.total()).toMatchObject({ usd: '0', unknown: 0 });
  const keyless = await ask('anthropic/claude-opus-4-5');
  await eventually(async () => expect(await keyless.read()).toMatchObject(uncharged));
  expect((await keyless.total()).unknown).toBe(0);
});

test('an answer with the user’s own key has an unknown cost when the app is killed while it streams', async () => {
  const { client, upstream, dataFolder } = await open();
  upstream.replyWith((_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(start('Half an answer'));
  });
  const { conversationId } = await client.chat.send({ messageId: randomUUID(), text: 'Hello?', model: pricedModel });
  const read = async (from: typeof client) => (await readThread(from, conversationId)).messages[1];
  await eventually(async () => expect((await read(client))?.text).toBe('Half an answer'));

  // A killed app leaves its files as they are while the answer streams.
  const left = mkdtempSync(join(tmpdir(), 'portico-killed-'));
  onTestFinished(() => rmSync(left, { recursive: true, force: true }));
  cpSync(dataFolder, left, { recursive: true });
  const next = await coreOfTest({ dataFolder: left, openGateway, env: upstream.env });
  await next.client.models.list();
  await eventually(async () =>
    expect(await read(next.client)).toMatchObject({ status: 'interrupted', costSource: 'unknown' }),
  );
  expect(await read(next.client)).toMatchObject({ text: 'Half an answer', costUsd: null });
  expect(await readTotal(next.client, conversationId)).toMatchObject({ usd: '0', requests: 1, unknown: 1 });
  const today = new Date().toISOString().slice(0, 10);
  const period = { first: today, last: today, zone: 'UTC' };
  const { groups } = await next.client.usage.get({ billingAccount: 'main', period, groupBy: 'provenance' });
  expect(groups).toMatchObject([{ kind: 'named', id: 'unknown', requests: 1, cost_usd: null }]);
});
