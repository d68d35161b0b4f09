import { expect, test } from 'vitest';
import { billLines, parsePricing } from '#shared/bill-lines.ts';
import { formatUsd, type NanoUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { completionChunk } from '#shared/wire/chat-response.ts';
import { getEvents } from '../../gateway-doubles/events-of.ts';
import { openContract } from './open-contract.ts';

const { call, post, newKey } = openContract();
const body = { model: 'openai/gpt-5.4-mini', messages: [{ role: 'user', content: 'hello' }], stream: true };

/** Returns the chunk with the usage, and the request's record. */
async function ask(fields: object) {
  const key = await newKey({ plan: 'pro' });
  const answer = await post('/v1/chat/completions', { ...body, ...fields }, { key });
  const events = (await getEvents(answer)).filter((data) => data !== '[DONE]');
  const chunks = events.map((data) => completionChunk.parse(JSON.parse(data)));
  const record = await (await call(`/v1/requests/${answer.headers.get('x-request-id')}`, { key })).json();
  return { chunks, last: chunks.find(({ usage }) => usage), record };
}

const getSum = (lines: readonly { readonly usd: string }[]): NanoUsd =>
  nanoUsd(lines.reduce((sum, { usd }) => sum + parseUsd(usd), 0n));

test.each([
  ['the finish chunk', {}],
  ['the usage chunk', { stream_options: { include_usage: true } }],
])('%s has the lines of the cost and the day of the price', async (_name, fields) => {
  const { chunks, last, record } = await ask(fields);
  const { cost_lines: lines = [], ...price } = last?.portico ?? {};
  expect(price).toEqual({ price_as_of: record.price.as_of, price_source: record.price.source });
  const usage = {
    promptTokens: record.prompt_tokens,
    completionTokens: record.completion_tokens,
    cachedTokens: record.cached_tokens,
    cacheWriteTokens: record.cache_write_tokens,
    reasoningTokens: record.reasoning_tokens,
  };
  expect(lines).toEqual(billLines(parsePricing(record.price), usage, parseUsd(record.cost_usd)).lines);
  expect(formatUsd(getSum(lines))).toBe(last?.usage?.cost_usd);
  expect(chunks.filter(({ portico }) => portico)).toHaveLength(1);
});

test('with the caller’s own key the lines are those of the provider’s cost', async () => {
  const { last } = await ask({ provider: 'openai', byoapi_key: 'sk-own-provider-key' });
  expect(last?.byok).toBe(true);
  expect(last?.usage?.cost_usd).toBe('0');
  expect(formatUsd(getSum(last?.portico?.cost_lines ?? []))).toBe(last?.usage?.upstream_cost_usd);
});

test('the list of lines is empty when no price is known', async () => {
  const { last } = await ask({ model: 'openai-compatible/ok.0' });
  expect(last?.portico).toEqual({ cost_lines: [], price_as_of: null, price_source: null });
});
