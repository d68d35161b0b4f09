import { describe, expect, onTestFinished, test } from 'vitest';
import { knownProviders } from '#shared/known-providers.ts';
import { type CompletionRequestBody, completionRequest } from '#shared/wire/chat-request.ts';
import { openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../../tests/gateway-doubles/recorded-streams.ts';
import { errorReply, openUpstream, streamReply } from '../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../access/auth/secret.ts';
import { completionBody } from './openai-compatible/completion-body.ts';
import { ChunkReader, toNano } from './openai-compatible/completion-chunks.ts';
import { getDialect } from './openai-compatible/dialects.ts';
import { listedEntry } from './openai-compatible/openai-compatible.ts';
import type { ProviderEvent } from './provider.ts';

const tool = (name: string) => ({ type: 'function' as const, function: { name, parameters: { type: 'object' } } });
const conversation: CompletionRequestBody['messages'] = [
  { role: 'developer', content: 'Be brief.' },
  { role: 'user', content: 'Look', name: 'ada' },
  {
    role: 'assistant',
    content: null,
    reasoning_content: 'Hm.',
    tool_calls: [
      {
        id: 'call_01JDABC',
        type: 'function',
        function: { name: 'one', arguments: '{}' },
        extra_content: { openrouter: { reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] } },
      },
    ],
  },
  { role: 'tool', tool_call_id: 'call_01JDABC', content: 'done' },
];

/** The request body that the server with this id would get. */
function bodyFor(id: string, more: Partial<CompletionRequestBody> = {}) {
  const { messages, ...parameters } = completionRequest.parse({ messages: conversation, ...more });
  const request = { model: 'm', messages, maxTokens: 50, openaiOnly: {}, parameters };
  return completionBody(request, getDialect({ id })) as Record<string, unknown> & {
    messages: Record<string, unknown>[];
  };
}

const everything = {
  tools: [tool('one'), tool('two')],
  tool_choice: { type: 'function' as const, function: { name: 'two' } },
  parallel_tool_calls: false,
  seed: 7,
  user: 'u',
  frequency_penalty: 1,
  reasoning_effort: 'high' as const,
};
const schema = { type: 'json_schema' as const, json_schema: { name: 'a', schema: { type: 'object' } } };
const compatible = knownProviders.map(({ id }) => id).filter((id) => !['openai', 'anthropic', 'google'].includes(id));

test.each(compatible)('%s gets a stream request with roles and a token limit field that it knows', (id) => {
  const body = bodyFor(id);
  expect(body.stream).toBe(true);
  expect(body.max_tokens ?? body.max_completion_tokens).toBe(50);
  expect(body.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
});

describe('Mistral', () => {
  test('Mistral gets a turn of the model between a tool result and a user who interrupts', async () => {
    const answer = streamReply(recordedStreams.openai.join(''));
    const list = errorReply(200, { data: [{ id: 'mistral-large-latest', capabilities: { function_calling: true } }] });
    const upstream = await openUpstream((call, response) => (call.method === 'GET' ? list : answer)(call, response));
    onTestFinished(upstream.close);
    const providers = { mistral: { apiKey: new Secret('platform-key'), baseUrl: `${upstream.origin}/v1` } };
    const { post, call } = await openTestGateway({ plan: 'local', providers });
    const id = 'mistral/mistral-large-latest';
    await expect.poll(async () => JSON.stringify(await (await call('/v1/models')).json())).toContain(id);
    const messages = [...conversation, { role: 'user', content: 'Wait' }];
    const response = await post('/v1/chat/completions', { model: id, messages });
    expect(JSON.stringify((await response.json()).warnings)).toContain('turns_adjusted');
    const [sent] = upstream.calls.filter(({ method }) => method === 'POST');
    const roles = ((sent?.body.messages ?? []) as { role: string }[]).map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
  });

  test('Mistral gets nine-character ids, its own names for seeds and forced tools, and no field that it refuses', () => {
    const body = bodyFor('mistral', everything);
    const [, user, assistant, result] = body.messages;
    const [made] = (assistant?.tool_calls ?? []) as { id: string }[];
    const id = made?.id;
    expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(result?.tool_call_id).toBe(id);
    expect(body).toMatchObject({ random_seed: 7, tool_choice: 'any', tools: [{ function: { name: 'two' } }] });
    for (const field of ['seed', 'user', 'stream_options', 'reasoning_effort']) expect(body).not.toHaveProperty(field);
    expect([user, assistant].flatMap((message) => Object.keys(message ?? {}))).not.toContain('name');
    expect(JSON.stringify(body)).not.toMatch(/reasoning_content|extra_content/);
  });

  test('Mistral may answer with a list of text and thinking', () => {
    const piece = {
      choices: [{ delta: { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] } }],
    };
    expect(
      readEvents([piece, { choices: [{ delta: { content: [{ type: 'text', text: 'Hi' }] }, finish_reason: 'stop' }] }]),
    ).toEqual([
      { type: 'start' },
      { type: 'reasoning-delta', text: 'Hm' },
      { type: 'text-delta', text: 'Hi' },
      { type: 'finish', reason: 'stop' },
    ]);
  });
});

describe('DeepSeek', () => {
  test('DeepSeek gets its thinking back, and thinking is turned off when it was lost', () => {
    expect(bodyFor('deepseek', everything)).toMatchObject({ thinking: { type: 'enabled' } });
    expect(bodyFor('deepseek').messages[2]).toMatchObject({ reasoning_content: 'Hm.' });
    const forgetful = conversation.map((message) => ({ ...message, reasoning_content: undefined }));
    expect(bodyFor('deepseek', { messages: forgetful as never })).toMatchObject({ thinking: { type: 'disabled' } });
  });

  test('DeepSeek is asked for a schema in words, and for JSON with its own field', () => {
    const body = bodyFor('deepseek', { response_format: schema });
    expect(body.response_format).toEqual({ type: 'json_object' });
    expect(body.messages[0]?.content).toContain('{"type":"object"}');
  });

  test("DeepSeek's report of cached tokens is read", () => {
    const usage = { prompt_tokens: 10, completion_tokens: 2, prompt_cache_hit_tokens: 6 };
    expect(readEvents([{ choices: [], usage }])).toContainEqual(
      expect.objectContaining({ type: 'usage', usage: expect.objectContaining({ promptTokens: 10, cachedTokens: 6 }) }),
    );
  });
});

test("xAI's thinking is added to the completion tokens when its own count leaves it out", () => {
  const details = { completion_tokens_details: { reasoning_tokens: 30 } };
  const beside = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 45, ...details };
  const inside = { prompt_tokens: 10, completion_tokens: 35, total_tokens: 45, ...details };
  for (const usage of [beside, inside]) {
    expect(readEvents([{ choices: [], usage }])).toContainEqual(
      expect.objectContaining({ usage: expect.objectContaining({ completionTokens: 35, reasoningTokens: 30 }) }),
    );
  }
});

test("Groq's usage is also read from x_groq", () => {
  const chunk = { choices: [], x_groq: { usage: { prompt_tokens: 3, completion_tokens: 4 } } };
  expect(readEvents([chunk])).toContainEqual(
    expect.objectContaining({ usage: expect.objectContaining({ promptTokens: 3, completionTokens: 4 }) }),
  );
});

test.each([
  ['Moonshot’s place', { cached_tokens: 6 }],
  ['Anthropic’s words', { cache_read_input_tokens: 6, cache_creation_input_tokens: 3 }],
  ['DeepSeek’s place', { prompt_cache_hit_tokens: 6, prompt_cache_miss_tokens: 4 }],
  ['OpenAI’s place empty', { prompt_tokens_details: { cached_tokens: 0 }, cached_tokens: 6 }],
  ['OpenAI’s place null', { prompt_tokens_details: null, cached_tokens: 6 }],
  ['OpenAI’s place', { prompt_tokens_details: { cached_tokens: 6 }, cached_tokens: 0 }],
])('cached tokens are read from %s', (_where, fields) => {
  const usage = { prompt_tokens: 10, completion_tokens: 2, ...fields };
  const written = 'cache_creation_input_tokens' in fields ? 3 : 0;
  for (const chunk of [{ choices: [], usage }, { choices: [{ index: 0, delta: {}, usage }] }])
    expect(readEvents([chunk])).toContainEqual(
      expect.objectContaining({
        usage: expect.objectContaining({ promptTokens: 10, cachedTokens: 6, cacheWriteTokens: written }),
      }),
    );
});

test('cached tokens are never more than the prompt', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 2, cached_tokens: 60, cache_creation_input_tokens: 60 };
  expect(readEvents([{ choices: [], usage }])).toContainEqual(
    expect.objectContaining({ usage: expect.objectContaining({ cachedTokens: 10, cacheWriteTokens: 0 }) }),
  );
});

describe('OpenRouter', () => {
  test('OpenRouter is asked for the cost, and gets its opaque thinking back', () => {
    const body = bodyFor('openrouter', everything);
    expect(body).toMatchObject({ usage: { include: true }, reasoning_effort: 'high' });
    expect(body.messages[2]).toMatchObject({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] });
    expect(JSON.stringify(body)).not.toContain('extra_content');
  });

  test("OpenRouter's opaque thinking is attached to the call that it led to", () => {
    const call = { index: 0, id: 'a', function: { name: 'one', arguments: '{}' } };
    const events = readEvents([
      { choices: [{ delta: { reasoning: 'Hm', reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] } }] },
      { choices: [{ delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] },
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'tool-call-start',
        extraContent: { openrouter: { reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] } },
      }),
    );
  });

  test.each([
    [0.00014, false, 140_000n],
    [1.4e-7, false, 140n],
    [1e-10, false, 1n],
    [0, false, 0n],
    [12, false, 12_000_000_000n],
    [0.001, true, 1_500_000n],
  ])('a cost of %d (own provider key at OpenRouter: %s) is exact and rounded up', (cost, own, nano) => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, cost, is_byok: own };
    const events = readEvents([
      { choices: [], usage: { ...usage, cost_details: { upstream_inference_cost: 0.0005 } } },
    ]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'usage', cost: nano }));
  });

  test('a cost that is not a number is ignored instead of counted as zero', () => {
    expect([toNano('0.1'), toNano(-1), toNano(Number.NaN), toNano(null)]).toEqual([null, null, null, null]);
  });
});

describe('LM Studio, llama.cpp and Ollama', () => {
  test.each(['lmstudio', 'llamacpp', 'ollama'])('%s is forced to call a tool by being offered no other', (id) => {
    const body = bodyFor(id, everything);
    expect(body).toMatchObject({ tool_choice: 'required', tools: [{ function: { name: 'two' } }] });
    expect(body.tools).toHaveLength(1);
  });

  test('LM Studio is asked for plain JSON in words', () => {
    const body = bodyFor('lmstudio', { response_format: { type: 'json_object' } });
    expect(body).not.toHaveProperty('response_format');
    expect(body.messages[0]?.content).toContain('JSON object');
    expect(bodyFor('lmstudio', { response_format: schema })).toMatchObject({
      response_format: { type: 'json_schema' },
    });
  });
});

test.each([
  ['insufficient_system_resource', 'upstream_overloaded'],
  ['error', 'upstream_error'],
  ['abort', 'upstream_error'],
])('an answer with the finish reason %s fails', (reason, code) => {
  const reader = new ChunkReader('deepseek');
  const chunk = JSON.stringify({ choices: [{ delta: {}, finish_reason: reason }] });
  expect(() => reader.read(chunk)).toThrow(expect.objectContaining({ code }));
});

describe('a list of models', () => {
  const listed = (entry: object, id = 'openai-compatible') => listedEntry(entry, getDialect({ id }).notForChat);

  test.each([
    ['mistral', { id: 'mistral-ocr', capabilities: { completion_chat: false } }],
    ['together', { id: 'flux', type: 'image' }],
    ['fireworks', { id: 'f', supports_chat: false }],
    ['groq', { id: 'whisper-large-v3' }],
    ['xai', { id: 'grok-2-image' }],
    ['openrouter', { id: 'x', architecture: { output_modalities: ['image'] } }],
    ['ollama', { id: '' }],
  ])('the model list of %s leaves out a model that cannot chat: %j', (id, entry) => {
    expect(listed(entry, id)).toEqual([]);
  });

  test.each([
    ['ollama', { id: 'nomic-embed-text' }],
    ['mistral', { id: 'mistral-embed', capabilities: { completion_chat: false } }],
    ['together', { id: 'bge-large', type: 'embedding' }],
  ])('the model list of %s marks a model that makes embeddings: %j', (id, entry) => {
    expect(listed(entry, id)).toMatchObject([{ model: entry.id, embeds: true }]);
  });

  test("a model list's facts are read from each vendor's own fields", () => {
    expect(
      listed({ id: 'm', max_context_length: 9, capabilities: { vision: true, function_calling: false } }),
    ).toMatchObject([{ contextLength: 9, inputs: ['text', 'image'], tools: false }]);
    expect(listed({ id: 'g', context_window: 8, max_completion_tokens: 4 })).toMatchObject([
      { contextLength: 8, maxOutputTokens: 4 },
    ]);
    expect(listed({ id: 'v', max_model_len: 7 })).toMatchObject([{ contextLength: 7, price: null }]);
  });

  test("OpenRouter's listed prices are exact, and a price that depends on the request is unknown", () => {
    const pricing = { prompt: '0.00000015', completion: '0.0000006', request: '0', input_cache_read: '0.000000075' };
    expect(listed({ id: 'a/b', name: 'B', pricing })).toMatchObject([
      {
        name: 'B',
        price: { prompt: 150_000n, completion: 600_000n, cacheRead: 75_000n, cacheWrite: null, request: 0n },
      },
    ]);
    expect(listed({ id: 'auto', pricing: { prompt: '-1', completion: '-1' } })).toMatchObject([{ price: null }]);
    expect(listed({ id: 'x', pricing: { input: 0.9, output: 0.9 } })).toMatchObject([{ price: null }]);
  });
});

function readEvents(chunks: readonly object[]): ProviderEvent[] {
  const reader = new ChunkReader('x');
  return [...chunks.flatMap((chunk) => reader.read(JSON.stringify(chunk))), ...reader.end()];
}
