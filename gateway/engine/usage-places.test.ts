import { describe, expect, test } from 'vitest';
import { openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';

/** Servers report their usage in different places and under different names. All of them are charged alike. */

const price = { input: '1', output: '2', cache_read: '0.1', cache_write: '1.25', tiers: [] };

/** Opens a gateway for a server that ends its stream with these chunks, or answers non-streaming with this object. */
async function ask(last: readonly (object | '[DONE]')[], whole: object | null = null) {
  const { post } = await openTestGateway({
    plan: 'local',
    providers: {
      near: {
        apiKey: null,
        baseUrl: 'http://127.0.0.1:9/v1',
        server: { name: 'Near', kind: 'openai-compatible', apiVersion: null },
        models: [{ model: 'model', sameAs: null, price }],
      },
    },
    fetch: async (_url: unknown, init?: RequestInit) => {
      if (whole && init?.method === 'POST') return Response.json(whole);
      const begun = { choices: [{ index: 0, delta: { content: 'Hello.' } }] };
      const lines = [begun, ...last].map((event) => (event === '[DONE]' ? event : JSON.stringify(event)));
      const stream = new ReadableStream({
        start(controller) {
          for (const line of lines) controller.enqueue(new TextEncoder().encode(`data: ${line}\n\n`));
          // A server may keep its connection open after the end of its answer.
          if (lines.at(-1) !== '[DONE]') controller.close();
        },
      });
      return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  const messages = [{ role: 'user', content: 'Hello '.repeat(10_000) }];
  const response = await post('/v1/chat/completions', { model: 'near/model', stream: !whole, messages });
  if (whole) return (await response.json()).usage;
  const text = await response.text();
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
  const chunks = text.split('\n').filter((line) => line.startsWith('data: {'));
  return chunks.map((line) => JSON.parse(line.slice(6)).usage).find(Boolean);
}

const [prompt_tokens, completion_tokens, cached_tokens] = [10_000, 50, 9_000];
const basic = { prompt_tokens, completion_tokens };
const usage = { ...basic, cached_tokens };
const finish = { index: 0, delta: {}, finish_reason: 'stop' };
const end = { choices: [finish] };
const counted = { prompt_tokens: 10_000, completion_tokens: 50, estimated: false, cost_usd: '0.002' };

describe('a stream', () => {
  test.each<[string, readonly (object | '[DONE]')[]]>([
    ['in the last chunk', [{ ...end, usage }, '[DONE]']],
    ['in a chunk of its own', [end, { choices: [], usage }, '[DONE]']],
    ['in the choice', [{ choices: [{ ...finish, usage }] }, '[DONE]']],
    ['in the delta', [{ choices: [{ ...finish, delta: { usage } }] }, '[DONE]']],
    ['by Groq', [{ ...end, x_groq: { usage } }, '[DONE]']],
    ['by llama.cpp', [{ ...end, timings: { prompt_n: 1_000, cache_n: 9_000, predicted_n: 50 } }, '[DONE]']],
    ['after the end', [end, '[DONE]', { choices: [], usage }]],
    ['after the end, and then nothing', [end, '[DONE]', { choices: [], usage }, '[DONE]']],
    ['without the mark of the end', [{ ...end, usage }]],
  ])('has its usage %s', async (_place, last) => {
    expect(await ask(last)).toMatchObject({ ...counted, prompt_tokens_details: { cached_tokens: 9_000 } });
  });

  test('ends a moment after its end without any usage', async () => {
    const startedAt = performance.now();
    expect(await ask([end, '[DONE]'])).toMatchObject({ estimated: true });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  test('ignores everything after its end but the usage', async () => {
    const more = { choices: [{ index: 0, delta: { content: 'More.' } }] };
    expect(await ask([end, '[DONE]', more, { choices: [], usage }])).toMatchObject(counted);
  });
});

test.each<[string, object]>([
  ['OpenAI', { ...basic, prompt_tokens_details: { cached_tokens } }],
  ['DeepSeek', { ...basic, prompt_cache_hit_tokens: cached_tokens, prompt_cache_miss_tokens: 1_000 }],
  ['Moonshot', usage],
  ['Anthropic beside OpenAI', { ...basic, total_tokens: 10_050, cache_read_input_tokens: cached_tokens }],
  ['Anthropic', { input_tokens: 1_000, output_tokens: 50, cache_read_input_tokens: cached_tokens }],
  ['Responses', { input_tokens: 10_000, output_tokens: 50, input_tokens_details: { cached_tokens } }],
  [
    'cached beside the prompt, by its total',
    { prompt_tokens: 1_000, completion_tokens, total_tokens: 10_050, cached_tokens },
  ],
  ['Bedrock', { ...basic, cacheReadInputTokens: cached_tokens }],
  ['Mistral', { ...basic, num_cached_tokens: cached_tokens }],
  ['zeros beside it', { ...basic, cached_tokens, prompt_tokens_details: { cached_tokens: 0 } }],
])('cached input is charged as cached: %s', async (_vendor, reported) => {
  const choices = [{ index: 0, message: { content: 'Hello.' }, finish_reason: 'stop' }];
  expect(await ask([], { id: 'c', choices, usage: reported })).toMatchObject(counted);
});

test.each<[string, object]>([
  ['beside the prompt', { ...basic, cache_creation_input_tokens: 9_000 }],
  ['in its details', { ...basic, prompt_tokens_details: { cache_creation_tokens: 9_000 } }],
  ['as OpenRouter', { ...basic, prompt_tokens_details: { cache_write_tokens: 9_000 } }],
])('input that was written to a cache is charged as written: %s', async (_place, reported) => {
  const choices = [{ index: 0, message: { content: 'Hello.' }, finish_reason: 'stop' }];
  const whole = { id: 'c', choices, usage: reported };
  expect(await ask([], whole)).toMatchObject({ ...counted, cost_usd: '0.01235' });
});

test('a usage in the choice of a non-streaming answer is read', async () => {
  const choices = [{ index: 0, message: { content: 'Hello.' }, finish_reason: 'stop', usage }];
  expect(await ask([], { id: 'c', choices })).toMatchObject(counted);
});
