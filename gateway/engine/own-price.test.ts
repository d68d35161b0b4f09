import { describe, expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { requestList } from '#shared/wire/request-record.ts';
import { openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { Secret } from '../access/auth/secret.ts';

const usage = { prompt_tokens: 150_000, completion_tokens: 1_000, total_tokens: 151_000 };
const answers = (cost: number | null) => async () =>
  Response.json({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: cost === null ? usage : { ...usage, cost },
  });

/** $3 and $9 a million tokens. */
const price = { input: '3', output: '9', cache_read: null, cache_write: null, tiers: [] };
const ownCost = 150_000n * 3_000n + 1_000n * 9_000n;
const bookCost = 150_000n * 2_000n + 1_000n * 8_000n;

async function charged(cost: number | null, ownPrice: boolean) {
  const { gateway, post, call } = await openTestGateway({
    providers: { openai: { apiKey: new Secret('platform-key'), baseUrl: 'https://api.openai.com/v1' } },
    fetch: answers(cost),
  });
  if (ownPrice) {
    await gateway.operator.overridePrice({ model: 'openai/gpt-4.1', price });
  }
  const messages = [{ role: 'user', content: 'x'.repeat(700_000) }];
  await (await post('/v1/chat/completions', { model: 'openai/gpt-4.1', messages })).text();
  const [record] = requestList.parse(await (await call('/v1/requests')).json()).data;
  const { checks } = await gateway.operator.checkLedger();
  expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
  return { charge: parseUsd(record?.cost_usd ?? '0'), upstream: parseUsd(record?.upstream_cost_usd ?? '0'), record };
}

test.each([0, 0.001, 3])('an operator’s own price is charged when the server reports a cost of $%s', async (cost) => {
  const { charge, upstream, record } = await charged(cost, true);
  expect(charge).toBe(ownCost);
  expect(upstream).toBe(BigInt(cost * 1e9));
  expect(record).toMatchObject({ estimated: false });
});

test('a server’s reported cost is charged when the operator set no price', async () => {
  expect((await charged(0.001, false)).charge).toBe(1_000_000n);
  expect((await charged(null, false)).charge).toBe(bookCost);
});

describe('a server without a price', () => {
  async function open(reportedCost: number | null) {
    return openTestGateway({
      plan: 'local',
      providers: {
        near: {
          apiKey: null,
          baseUrl: 'http://127.0.0.1:9/v1',
          server: { name: 'Near', kind: 'openai-compatible', apiVersion: null },
          models: [{ model: 'model', sameAs: null, price: null }],
        },
      },
      fetch: answers(reportedCost),
    });
  }
  const unknown = expect.arrayContaining([expect.objectContaining({ code: 'cost_unknown' })]);
  const content = 'Hi';
  const apis: Readonly<Record<string, object>> = {
    '/v1/chat/completions': { messages: [{ role: 'user', content }] },
    '/v1/responses': { input: content },
    '/v1/messages': { max_tokens: 100, messages: [{ role: 'user', content }] },
  };

  test.each(Object.entries(apis))('has an unknown cost at %s, not one of zero', async (path, body) => {
    const { post, call } = await open(null);
    const answer = await (await post(path, { model: 'near/model', ...body })).json();
    expect(answer.usage).toMatchObject({ upstream_cost_usd: null });
    expect(answer.warnings).toEqual(unknown);
    const streamed = await (await post(path, { model: 'near/model', stream: true, ...body })).text();
    expect(streamed).toContain('"upstream_cost_usd":null');
    expect(streamed).toContain('cost_unknown');
    const { data } = requestList.parse(await (await call('/v1/requests')).json());
    expect(data).toMatchObject([{ upstream_cost_usd: null }, { upstream_cost_usd: null }]);
  });

  test('has the cost that it reports', async () => {
    const { post } = await open(0.001);
    const body = { model: 'near/model', ...apis['/v1/chat/completions'] };
    const answer = await (await post('/v1/chat/completions', body)).json();
    expect(answer.usage).toMatchObject({ upstream_cost_usd: '0.001' });
    expect(answer.warnings).not.toEqual(unknown);
  });
});
