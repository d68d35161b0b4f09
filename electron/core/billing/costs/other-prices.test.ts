import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { chatEnded } from '../../../../tests/support/chat-ended.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { priceDifference } from './other-prices.ts';

const pricing = (prompt: string, completion: string) => ({
  currency: 'USD' as const,
  unit: 'token' as const,
  prompt,
  completion,
  input_cache_read: '0',
  input_cache_write: null,
  request: '0',
  image: null,
  tiers: [],
  as_of: null,
  source: null,
});
const usage = { promptTokens: 1000, completionTokens: 100, reasoningTokens: 0 };
const dear = pricing('0.000005', '0.000025');
const cheap = pricing('0.00000015', '0.0000006');

const answer = { model: 'a/dear', pricing: dear, usage, costUsd: '0.0075' };

test('a price comparison has the exact difference per token and to what the answer cost', () => {
  expect(priceDifference(answer, 'b/cheap', cheap)).toEqual({
    more: { prompt: '-0.00000485', completion: '-0.0000244' },
    costUsd: '0.00021',
    moreUsd: '-0.00729',
  });
  expect(priceDifference({ model: 'b/cheap', pricing: cheap, usage, costUsd: '0.00021' }, 'a/dear', dear)).toEqual({
    more: { prompt: '0.00000485', completion: '0.0000244' },
    costUsd: '0.0075',
    moreUsd: '0.00729',
  });
});

test('another model is compared without the discount for cached tokens', () => {
  const middle = pricing('0.000004', '0.00002');
  const cached = { ...answer, costUsd: '0.003' };
  expect(priceDifference(cached, 'b/middle', middle)).toMatchObject({ costUsd: '0.006', moreUsd: '0.003' });
  expect(priceDifference(cached, 'a/dear', dear)).toMatchObject({ costUsd: '0.003', moreUsd: '0' });
});

test('searches are priced with the other model as well', () => {
  const searching = { ...cheap, web_search: '0.01' };
  const searched = { ...answer, usage: { ...usage, searches: 2 } };
  expect(priceDifference(searched, 'b/cheap', searching).costUsd).toBe('0.02021');
});

test('a price comparison has no amounts where the usage, the price or the cost is unknown', () => {
  const unknown = { model: null, pricing: null, usage: null, costUsd: null };
  expect(priceDifference(unknown, 'b/cheap', cheap)).toEqual({ more: null, costUsd: null, moreUsd: null });
  expect(priceDifference({ ...unknown, usage }, 'b/cheap', cheap)).toEqual({
    more: null,
    costUsd: '0.00021',
    moreUsd: null,
  });
  expect(priceDifference({ ...answer, costUsd: null }, 'a/dear', dear)).toEqual({
    more: null,
    costUsd: '0.0075',
    moreUsd: null,
  });
});

test('every model that has a price is compared with the model of the answer', async () => {
  const core = await coreOfTest();
  const { client } = core;
  const { models } = await client.models.list();
  const asked = { messageId: randomUUID(), text: 'Hi', model: 'openai/mini' };
  const { conversationId, answerId } = await client.chat.send(asked);
  await chatEnded(client, conversationId);
  const others = await client.quotes.others({ answerId });
  expect(others.map(({ model }) => model)).toEqual(models.flatMap(({ id, pricing }) => (pricing ? [id] : [])));
  expect(others.find(({ model }) => model === 'openai/mini')).toMatchObject({ more: null, moreUsd: '0' });
  expect(others.every(({ costUsd }) => costUsd !== null)).toBe(true);
  await expect(client.quotes.others({ answerId: 'gone' })).rejects.toMatchObject({ code: 'not_found' });
});
