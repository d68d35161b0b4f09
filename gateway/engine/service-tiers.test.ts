import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { type RequestRecord, requestList } from '#shared/wire/request-record.ts';
import { openTestGateway, type TestGatewayOptions } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { openUpstream, type Reply, type Upstream } from '../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../access/auth/secret.ts';

/** An answer costs the price of the service tier in which OpenAI served it, which may not be the tier that was asked for. */

let upstream: Upstream;
beforeEach(async () => {
  upstream = await openUpstream(() => {});
});
afterEach(() => upstream.close());

const events = (list: readonly object[]) => list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

/** 10,000 tokens in, 4,000 of them cached, and 1,000 out, by either API, streamed or not. */
const servedIn =
  (tier: string | null): Reply =>
  ({ path, body }, response) => {
    const asked = body as { stream?: boolean };
    const about = tier === null ? {} : { service_tier: tier };
    if (path === '/v1/responses') {
      const output = [{ type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }];
      const usage = { input_tokens: 10_000, output_tokens: 1_000, input_tokens_details: { cached_tokens: 4_000 } };
      const completed = { id: 'r', object: 'response', status: 'completed', output, usage, ...about };
      if (!asked.stream)
        return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completed));
      const delta = {
        type: 'response.output_text.delta',
        item_id: 'm',
        output_index: 0,
        content_index: 0,
        delta: 'Hi',
      };
      const started = {
        type: 'response.output_item.added',
        output_index: 0,
        item: { type: 'message', id: 'm', content: [] },
      };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.end(events([started, delta, { type: 'response.completed', response: completed }]));
    }
    const usage = { prompt_tokens: 10_000, completion_tokens: 1_000, prompt_tokens_details: { cached_tokens: 4_000 } };
    const message = { role: 'assistant', content: 'Hi' };
    const base = { id: 'c', created: 1, model: 'm', ...about };
    if (!asked.stream) {
      const completed = {
        ...base,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage,
      };
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completed));
    }
    const chunk = (choices: object[], more: object = {}) => ({
      ...base,
      object: 'chat.completion.chunk',
      choices,
      ...more,
    });
    const text = [
      chunk([{ index: 0, delta: message, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
      chunk([], { usage }),
    ];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${events(text)}data: [DONE]\n\n`);
  };

async function open(options: TestGatewayOptions = {}) {
  const opened = await openTestGateway({
    providers: { openai: { apiKey: new Secret('platform-key'), baseUrl: `${upstream.origin}/v1` } },
    ...options,
  });
  const record = async (): Promise<RequestRecord> => {
    const [newest] = requestList.parse(await (await opened.call('/v1/requests')).json()).data;
    if (!newest) throw new Error('no request was booked');
    return newest;
  };
  const ask = async (body: object, path = '/v1/chat/completions') => {
    const input = path === '/v1/responses' ? { input: 'hello' } : { messages: [{ role: 'user', content: 'hello' }] };
    const response = await opened.post(path, { model: 'openai/gpt-5.4', ...input, ...body });
    return { status: response.status, text: await response.text() };
  };
  return { ...opened, ask, record };
}

/** gpt-5.4: $2.50, $0.25 cached, $15 a million tokens. */
const standard = 6_000n * 2_500n + 4_000n * 250n + 1_000n * 15_000n;

describe.each([
  ['/v1/chat/completions', true],
  ['/v1/chat/completions', false],
  ['/v1/responses', true],
  ['/v1/responses', false],
])('%s, streamed: %s', (path, stream) => {
  test.each([
    ['priority', 'priority', 2n * standard],
    ['priority', 'default', standard],
    ['flex', 'flex', standard / 2n],
    ['auto', 'priority', 2n * standard],
    [undefined, 'priority', 2n * standard],
    [undefined, 'flex', standard / 2n],
    [undefined, 'default', standard],
    ['default', null, standard],
  ])('the served tier is charged when %s is asked for and %s is served', async (asked, served, cost) => {
    upstream.replyWith(servedIn(served));
    const { ask, record, gateway } = await open();
    const { text } = await ask({ stream, ...(asked === undefined ? {} : { service_tier: asked }) }, path);
    const stored = await record();
    expect(stored).toMatchObject({ status: 'succeeded', estimated: false });
    expect(parseUsd(stored.cost_usd)).toBe(cost);
    if (served !== null) expect(text).toContain(`"service_tier":"${served}"`);
    const { checks } = await gateway.operator.checkLedger();
    expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
  });

  test('a tier without a known price is charged by an estimate, with a warning', async () => {
    upstream.replyWith(servedIn('scale'));
    const { ask, record } = await open();
    const { text } = await ask({ stream }, path);
    expect(text).toContain('tier_price_unknown');
    const stored = await record();
    expect(stored.estimated).toBe(true);
    expect(parseUsd(stored.cost_usd)).toBe(standard);
  });
});

test.each([
  ['openai/gpt-5.4-nano', 'priority'],
  ['openai/gpt-4.1', 'flex'],
  ['openai/gpt-5.4', 'scale'],
])('a tier without a price for %s is not asked for: %s', async (model, tier) => {
  upstream.replyWith(servedIn('default'));
  const { ask } = await open();
  const { text } = await ask({ model, service_tier: tier });
  expect(text).toContain('service_tier');
  expect(JSON.parse(text).warnings).toContainEqual(expect.objectContaining({ param: 'service_tier' }));
  expect(upstream.calls[0]?.body).not.toHaveProperty('service_tier');
});

test('a balance that covers the standard price alone does not buy the priority tier', async () => {
  upstream.replyWith(servedIn('priority'));
  const { ask, post } = await open({ balance: '0.02' });
  const asked = { max_tokens: 1_000, messages: [{ role: 'user', content: 'hello' }] };
  expect((await ask({ ...asked, service_tier: 'priority' })).status).toBe(402);
  expect(upstream.calls).toEqual([]);
  const quoted = async (more: object) =>
    (await (await post('/v1/quote', { model: 'openai/gpt-5.4', ...asked, ...more })).json()) as {
      cost_usd: { high: string };
    };
  const [plain, priority] = [await quoted({}), await quoted({ service_tier: 'priority' })];
  expect(parseUsd(priority.cost_usd.high)).toBe(2n * parseUsd(plain.cost_usd.high));
});

test('a regional address costs a tenth more for the models that OpenAI lists', async () => {
  const { pricedFor, priceAsServed } = await import('../models/catalogue/service-tiers.ts');
  const { liveCatalogue } = await import('../models/catalogue/build-catalogue.ts');
  const { models } = liveCatalogue(
    () => Date.UTC(2026, 10, 20),
    () => [],
    { aliases: {}, added: () => [] },
  )();
  const find = (id: string) => models.find((model) => model.id === id) ?? expect.fail(id);
  const eu = 'https://eu.api.openai.com/v1';
  const [newer, older] = [find('openai/gpt-5.4'), find('openai/gpt-4.1')];
  expect(pricedFor(newer, undefined, eu).price?.prompt).toBe(2_750_000n);
  expect(pricedFor(newer, 'priority', eu).price?.prompt).toBe(5_500_000n);
  expect(priceAsServed(pricedFor(newer, 'priority', eu), 'default').price?.prompt).toBe(2_750_000n);
  expect(pricedFor(older, undefined, eu)).toBe(older);
  for (const region of ['us', 'au', 'in', 'jp'])
    expect(pricedFor(newer, undefined, `https://${region}.api.openai.com/v1`).price?.prompt).toBe(2_750_000n);
  // Models are compared by their release date when it is known, else by their number.
  for (const id of ['openai/gpt-6.2-sol', 'openai/gpt-6-luna', 'openai/gpt-5.5', 'openai/gpt-5.4-nano'])
    expect(pricedFor(find(id), undefined, eu)).not.toBe(find(id));
  for (const id of ['openai/gpt-5.2', 'openai/gpt-5', 'openai/o3'])
    expect(pricedFor(find(id), undefined, eu)).toBe(find(id));
  for (const address of ['https://api.openai.com/v1', 'https://eu.api.openai.com.evil.example/v1', 'nonsense'])
    expect(pricedFor(newer, undefined, address)).toBe(newer);
});
