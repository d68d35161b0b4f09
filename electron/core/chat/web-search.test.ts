import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noOptions } from '#shared/contract/chat/options.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { chatEnded } from '../../../tests/support/chat-ended.ts';
import type { TestCore } from '../../../tests/support/core-of-test.ts';
import { coreWithGateway } from '../../../tests/support/core-with-gateway.ts';
import { readThread } from '../../../tests/support/read-thread.ts';

/** The real gateway runs in this process, with its simulated model that searches. */
let core: TestCore;
let { client } = {} as typeof core;

beforeAll(async () => {
  core = await coreWithGateway();
  ({ client } = core);
});
afterAll(() => core.close());

const question = { text: 'What is new?', attachments: [], conversationId: null, model: 'sandbox/tools' };

async function ask(webSearch: boolean, model = 'sandbox/tools') {
  await client.options.set({ chat: 'new', options: { ...noOptions, tools: false, webSearch } });
  const { conversationId } = await client.chat.send({ messageId: randomUUID(), text: 'What is new?', model });
  const messages = await chatEnded(client, conversationId);
  return { conversationId, answer: messages.at(-1) };
}

test('an answer that searched the web has its sources, and a line for the search on its bill as in the ledger', async () => {
  const { conversationId, answer } = await ask(true);
  expect(answer).toMatchObject({ status: 'done' });
  const { citations = [], text = '' } = answer ?? {};
  expect(citations.map(({ url, from, to }) => [url, text.slice(from, to)])).toEqual([
    ['https://example.com/simulated/one', 'The first page would say what is asked for.'],
    ['https://example.org/simulated/two', 'The second would say it in other words, and when.'],
  ]);
  await expect
    .poll(async () => (await readThread(client, conversationId)).messages.at(-1)?.bill?.lines)
    .toContainEqual({ kind: 'web_search', tokens: 1, usd: '0.0005' });
  const stored = (await readThread(client, conversationId)).messages.at(-1);
  const sum = stored?.bill?.lines.reduce((all, { usd }) => all + parseUsd(usd), 0n) ?? 0n;
  expect(formatUsd(nanoUsd(sum))).toBe(stored?.costUsd);
  const { transactions } = await client.credits.get({ billingAccount: 'sandbox', limit: 10 });
  const charged = transactions.data.find(({ request_id }) => request_id === stored?.requestId)?.amount ?? '0';
  expect(parseUsd(charged)).toBe(-parseUsd(stored?.costUsd ?? '0'));
});

test('a quote includes the web search and its results, and the bill stays below it', async () => {
  await client.options.set({ chat: 'new', options: { ...noOptions, tools: false } });
  const without = await client.quotes.get(question);
  expect(without.searches).toBe(0);
  await client.options.set({ chat: 'new', options: { ...noOptions, tools: false, webSearch: true } });
  const quote = await client.quotes.get(question);
  expect(quote.searches).toBe(1);
  expect(quote.parts).toContainEqual({ kind: 'web_search', tokens: 1, usd: '0.0005' });
  const { answer } = await ask(true);
  expect(parseUsd(answer?.costUsd ?? '9')).toBeLessThanOrEqual(parseUsd(quote.costUsd?.high ?? '0'));
  expect(parseUsd(answer?.costUsd ?? '0')).toBeGreaterThan(parseUsd(without.costUsd?.low ?? '9'));
});

test('the expected cost of a web search is near its bill, with and without earlier searches', async () => {
  const asking = { ...question, model: 'sandbox/tools' };
  const quoted = async () => {
    await client.options.set({ chat: 'new', options: { ...noOptions, tools: false, webSearch: true } });
    return client.quotes.get(asking);
  };
  const fresh = await coreWithGateway();
  try {
    await fresh.client.chat.send({ messageId: randomUUID(), text: 'Add 2 and 3', model: 'sandbox/tools' });
    await fresh.client.options.set({ chat: 'new', options: { ...noOptions, tools: false, webSearch: true } });
    await expect.poll(async () => (await fresh.client.quotes.get(asking)).expected).not.toBe(null);
    const first = await fresh.client.quotes.get(asking);
    const { answer } = await ask(true);
    expect(differencePercent(first.expected?.usd, answer?.costUsd)).toBeLessThanOrEqual(30n);
  } finally {
    await fresh.close();
  }
  const { answer } = await ask(true);
  const learnt = await quoted();
  expect(differencePercent(learnt.expected?.usd, answer?.costUsd)).toBeLessThanOrEqual(5n);
  // The estimate is what earlier searches of this model found, not the maximum that the hold covers.
  const billed = answer?.usage?.promptTokens ?? 0;
  expect(learnt.promptTokens.estimate).toBeGreaterThanOrEqual(billed);
  expect(learnt.promptTokens.estimate).toBeLessThan(billed + 200);
  expect(learnt.promptTokens.high).toBeGreaterThan(billed + 200);
});

test('the expected cost leaves out the results of an earlier web search, because they are not sent again', async () => {
  const { conversationId, answer } = await ask(true);
  expect(answer?.usage?.promptTokens).toBeGreaterThan(1_000);
  const next = { ...question, conversationId, text: 'And then?' };
  await client.options.set({ chat: conversationId, options: { ...noOptions, tools: false, webSearch: true } });
  const quote = await client.quotes.get(next);
  await client.chat.send({ messageId: randomUUID(), conversationId, text: 'And then?', model: 'sandbox/tools' });
  const after = (await chatEnded(client, conversationId)).at(-1);
  // The results of the earlier search aren't sent again.
  expect(differencePercent(quote.expected?.usd, after?.costUsd)).toBeLessThanOrEqual(10n);
});

function differencePercent(expected: string | undefined, billed: string | null | undefined): bigint {
  const [expectedCost, billedCost] = [parseUsd(expected ?? '0'), parseUsd(billed ?? '0')];
  expect(billedCost).toBeGreaterThan(0n);
  return ((expectedCost > billedCost ? expectedCost - billedCost : billedCost - expectedCost) * 100n) / billedCost;
}

test('the web is not searched when search is off or the model cannot search', async () => {
  for (const { answer } of [await ask(false), await ask(true, 'sandbox/echo')]) {
    expect(answer).toMatchObject({ status: 'done', citations: [] });
    expect(answer?.bill?.lines.map(({ kind }) => kind) ?? []).not.toContain('web_search');
  }
});

test('sources are exported with a chat, and copied with it', async () => {
  const { conversationId } = await ask(true);
  const exported = async (format: 'markdown' | 'html') => {
    let text = '';
    for await (const piece of await client.transfer.export({ ids: [conversationId], format })) text += piece.text;
    return text;
  };
  expect(await exported('markdown')).toContain('1. [Simulated page one](<https://example.com/simulated/one>)');
  expect(await exported('html')).toContain('<a href="https://example.com/simulated/one" rel="noreferrer noopener">');
  const { id } = await client.transfer.duplicate({ id: conversationId });
  expect((await readThread(client, id)).messages.at(-1)?.citations).toHaveLength(2);
});
