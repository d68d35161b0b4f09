import { LLMock } from '@copilotkit/aimock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { completionResponse } from '#shared/wire/chat-response.ts';
import { Secret } from '../../gateway/access/auth/secret.ts';
import { type ChatBench, openChatBench } from '../gateway-doubles/chat-bench.ts';
import { getEvents } from '../gateway-doubles/events-of.ts';
import { testModel } from '../gateway-doubles/test-models.ts';

/** Tests against upstreams written by somebody else: what they send and accept was not made to fit our adapters. */
const mock = new LLMock({ port: 0, host: '127.0.0.1', auth: { apiKeys: ['platform-key', 'own-key-1'] } });
let origin = '';
let bench: ChatBench;

beforeAll(async () => {
  origin = await mock.start();
});
afterAll(() => mock.stop());

beforeEach(async () => {
  mock.reset();
  const apiKey = new Secret('platform-key');
  bench = await openChatBench({
    models: [
      testModel('openai/gpt-5.4-mini'),
      testModel('anthropic/claude-sonnet-5'),
      testModel('google/gemini-3-flash'),
      testModel('mistral/mistral-large-2512'),
      testModel('openrouter/acme/large', { provider: 'openrouter', model: 'acme/large' }),
    ],
    providers: {
      openai: { apiKey, baseUrl: `${origin}/v1` },
      anthropic: { apiKey, baseUrl: origin },
      google: { apiKey, baseUrl: origin },
      mistral: { apiKey, baseUrl: `${origin}/v1` },
      openrouter: { apiKey, baseUrl: `${origin}/v1` },
    },
  });
});
afterEach(() => bench.close());

const path = '/v1/chat/completions';
const user = (content: string) => [{ role: 'user', content }];
const tools = [
  {
    type: 'function',
    function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
];

const models = [
  ...['openai/gpt-5.4-mini', 'anthropic/claude-sonnet-5', 'google/gemini-3-flash'],
  ...['mistral/mistral-large-2512', 'openrouter/acme/large'],
];

describe.each(models)('%s', (model) => {
  test("streams the upstream's answer", async () => {
    mock.onMessage('capital', { content: 'Paris, and nothing but Paris. 世界' }, { chunkSize: 3 });
    const events = await getEvents(await bench.post(path, { model, messages: user('capital?'), stream: true }));
    expect(events.at(-1)).toBe('[DONE]');
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event));
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(
      'Paris, and nothing but Paris. 世界',
    );
    expect(chunks.length).toBeGreaterThan(5);
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: {} });
  });

  test('answers a request with prompt cache marks', async () => {
    mock.onMessage('capital', { content: 'Paris.' });
    const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
    const messages = [
      { role: 'system', content: [{ type: 'text', text: 'Know all capitals.', ...mark }] },
      { role: 'user', content: [{ type: 'text', text: 'capital?', ...mark }] },
    ];
    const answer = await bench.post(path, { model, messages, tools: [{ ...tools[0], ...mark }] });
    expect(completionResponse.parse(await answer.json()).choices[0]?.message.content).toBe('Paris.');
  });

  test('returns a tool call and accepts its result', async () => {
    mock.on(
      { userMessage: 'weather', hasToolResult: false },
      { toolCalls: [{ name: 'get_weather', arguments: { city: 'Rome' } }] },
    );
    mock.on({ userMessage: 'weather', hasToolResult: true }, { content: 'It is warm.' });
    const first = await bench.post(path, { model, messages: user('weather?'), tools });
    const { choices } = completionResponse.parse(await first.json());
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    const call = choices[0]?.message.tool_calls?.[0];
    if (call?.type !== 'function') throw new Error('no function was called');
    expect([call.function.name, JSON.parse(call.function.arguments)]).toEqual(['get_weather', { city: 'Rome' }]);
    const messages = [
      ...user('weather?'),
      choices[0]?.message,
      { role: 'tool', tool_call_id: call?.id, content: '30 °C' },
    ];
    const second = completionResponse.parse(await (await bench.post(path, { model, messages, tools })).json());
    expect(second.choices[0]?.message.content).toBe('It is warm.');
  });

  test.each([
    [429, 429, 'upstream_rate_limited'],
    [500, 502, 'upstream_error'],
    [503, 503, 'upstream_overloaded'],
    [529, 503, 'upstream_overloaded'],
  ])('turns an upstream %i into a %i %s after exactly one call', async (status, ours, code) => {
    mock.nextRequestError(status, { message: 'x', type: 'some_error' });
    const response = await bench.post(path, { model, messages: user('hello') });
    const body = await response.json();
    expect([response.status, body.error.code]).toEqual([ours, code]);
    expect(mock.getRequests()).toHaveLength(1);
    expect(await bench.onlyRequest()).toMatchObject({ charge: 0n, status: 'failed' });
  });

  test('never reports an answer that is cut off as a success', async () => {
    mock.onMessage('long', { content: 'x'.repeat(400) }, { chunkSize: 10, truncateAfterChunks: 4, latency: 5 });
    const text = await (await bench.post(path, { model, messages: user('long'), stream: true })).text();
    expect(text).toContain('upstream_truncated');
    expect(text).not.toContain('[DONE]');
    // The part that was delivered is paid for.
    const row = await bench.onlyRequest();
    expect(row).toMatchObject({ status: 'failed', charge: row.upstream_cost, estimated: 1n });
  });

  test("sends the caller's own key to the upstream", async () => {
    mock.onMessage('hello', { content: 'hi' });
    const good = await bench.post(path, { model, messages: user('hello'), byoapi_key: 'own-key-1' });
    expect(completionResponse.parse(await good.json())).toMatchObject({ byok: true, usage: { cost_usd: '0' } });
    const bad = await bench.post(path, { model, messages: user('hello'), byoapi_key: 'other-key-2' });
    expect([bad.status, (await bad.json()).error.code]).toEqual([400, 'byoapi_key_rejected']);
  });
});

test('a router request continues with the next provider and lists the attempts', async () => {
  mock.onMessage('hello', { content: 'hi' });
  mock.nextRequestError(503);
  const response = await bench.post(path, { model: 'router', messages: user('hello') });
  const { routing } = completionResponse.parse(await response.json());
  expect(routing.attempts.map((attempt) => attempt.status)).toEqual(['error', 'ok']);
  expect(new Set(routing.attempts.map((attempt) => attempt.provider)).size).toBe(2);
  expect(response.headers.get('x-portico-attempts')).toBe('2');
});
