import { afterEach, describe, expect, test } from 'vitest';
import { completionChunk, completionResponse, promptDone, promptResponse } from '#shared/wire/chat-response.ts';
import { errorBody } from '#shared/wire/error.ts';
import { type BenchOptions, type ChatBench, openChatBench } from '../../../tests/gateway-doubles/chat-bench.ts';
import { getEvents } from '../../../tests/gateway-doubles/events-of.ts';

const benches: ChatBench[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
});

async function open(options: BenchOptions = {}): Promise<ChatBench> {
  const bench = await openChatBench(options);
  benches.push(bench);
  return bench;
}

const echo = { model: 'sandbox/echo', prompt: 'Hello, 世界 👋' };
const conversation = { model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello, 世界 👋' }] };

describe('the prompt form', () => {
  test('answers with the text, the tokens and what was charged for them', async () => {
    const bench = await open();
    const response = await bench.post('/chat', echo);
    expect(response.status).toBe(200);
    const answer = promptResponse.parse(await response.json());
    expect(answer).toMatchObject({ text: echo.prompt, provider: 'sandbox', model: 'echo', finish_reason: 'stop' });
    expect(answer.tokens.total_tokens).toBe(answer.tokens.prompt_tokens + answer.tokens.completion_tokens);
    expect(response.headers.get('x-portico-route')).toBe('policy=direct');
    const row = await bench.onlyRequest();
    expect(row.id.slice(4)).toBe(answer.id.slice(5));
    expect(Number(answer.cost_usd)).toBeGreaterThan(0);
    expect(await bench.account()).toMatchObject({ held: 0n });
  });

  test('streams events whose texts make up the same answer, then one with done, then [DONE]', async () => {
    const bench = await open();
    const response = await bench.post('/api/chat', { ...echo, stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-portico-model')).toBe('echo');
    const events = await getEvents(response);
    expect(events.at(-1)).toBe('[DONE]');
    const parsed = events.slice(0, -1).map((event) => JSON.parse(event));
    expect(parsed.map((event) => event.text).join('')).toBe(echo.prompt);
    expect(parsed.filter((event) => event.done)).toHaveLength(1);
    expect(promptDone.parse(parsed.at(-1)).cost_usd).not.toBe('0');
  });

  test('refuses a field of the other form instead of ignoring it', async () => {
    const bench = await open();
    const response = await bench.post('/chat', { ...echo, messages: [] });
    expect(errorBody.parse(await response.json()).error).toMatchObject({
      code: 'unsupported_parameter',
      param: 'messages',
    });
  });
});

describe('the chat-completions form', () => {
  test('answers in OpenAI’s shape with the cost in its usage', async () => {
    const bench = await open();
    const response = await bench.post('/v1/chat/completions', conversation);
    const answer = completionResponse.parse(await response.json());
    expect(answer.choices[0]?.message).toMatchObject({ role: 'assistant', content: 'Hello, 世界 👋', refusal: null });
    expect(answer.usage.estimated).toBe(false);
  });

  test('puts usage and routing on the finish chunk', async () => {
    const bench = await open();
    const events = await getEvents(await bench.post('/v1/chat/completions', { ...conversation, stream: true }));
    const chunks = events.slice(0, -1).map((event) => completionChunk.parse(JSON.parse(event)));
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello, 世界 👋');
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }], routing: { policy: 'direct' } });
    expect(chunks.at(-1)?.usage?.completion_tokens).toBeGreaterThan(0);
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    expect(events.join('')).not.toContain('"error"');
  });

  test('with include_usage sends null on every chunk and the usage in one without choices', async () => {
    const bench = await open();
    const body = { ...conversation, stream: true, stream_options: { include_usage: true } };
    const events = await getEvents(await bench.post('/v1/chat/completions', body));
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event));
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null && chunk.choices.length === 1)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { estimated: false } });
  });

  test('streams a tool call whose fragments are JSON, and uses its result', async () => {
    const bench = await open();
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const tools = [{ type: 'function', function: { name: 'weather', parameters } }];
    const messages = [{ role: 'user', content: 'Paris' }];
    const first = await bench.post('/v1/chat/completions', { model: 'sandbox/tools', messages, tools });
    const { choices } = completionResponse.parse(await first.json());
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    const call = choices[0]?.message.tool_calls?.[0];
    if (call?.type !== 'function') throw new Error('no function was called');
    expect(JSON.parse(call.function.arguments)).toEqual({ city: 'Paris' });
    const second = await bench.post('/v1/chat/completions', {
      model: 'sandbox/tools',
      tools,
      messages: [...messages, choices[0]?.message, { role: 'tool', tool_call_id: call?.id, content: '21 °C' }],
    });
    expect(JSON.stringify(await second.json())).toContain('21 °C');
  });

  test('sends reasoning separately from the answer and counts it', async () => {
    const bench = await open();
    const response = await bench.post('/v1/chat/completions', { ...conversation, model: 'sandbox/reasoner' });
    const answer = completionResponse.parse(await response.json());
    expect(answer.choices[0]?.message.reasoning_content).toContain('restate');
    expect(answer.usage.completion_tokens_details.reasoning_tokens).toBeGreaterThan(10);
  });
});

describe('a failure', () => {
  test('before the first token is a real status and costs nothing', async () => {
    const bench = await open();
    const response = await bench.post('/chat', { model: 'sandbox/flaky', prompt: 'hello', stream: true });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(errorBody.parse(await response.json()).error).toMatchObject({
      code: 'upstream_overloaded',
      provider: 'sandbox',
    });
    expect(await bench.onlyRequest()).toMatchObject({ status: 'failed', charge: 0n });
  });

  test.each(['/chat', '/v1/chat/completions'])(
    'in the middle of a stream of %s is one bare error event and no [DONE]',
    async (path) => {
      const bench = await open();
      const text = path === '/chat' ? { prompt: 'cut' } : { messages: [{ role: 'user', content: 'cut' }] };
      const events = await getEvents(await bench.post(path, { model: 'sandbox/flaky', stream: true, ...text }));
      const last = JSON.parse(events.at(-1) ?? '');
      expect(last.error).toMatchObject({ code: 'upstream_truncated', status_code: 502, provider: 'sandbox' });
      expect(last).not.toHaveProperty('choices');
      expect(events.filter((event) => event.includes('"error"'))).toHaveLength(1);
      // The delivered part of the answer is charged.
      const row = await bench.onlyRequest();
      expect(row).toMatchObject({ status: 'failed', charge: row.upstream_cost });
      expect((await bench.account()).held).toBe(0n);
    },
  );
});

describe('an invalid request is refused with its code and its place', () => {
  const message = { role: 'user', content: 'x' };
  const pixel = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  test.each([
    [{}, 'missing_required_parameter', 'messages'],
    [{ messages: [] }, 'invalid_value', 'messages'],
    [{ messages: 'x' }, 'invalid_type', 'messages'],
    [{ messages: [message, { role: 'function', content: 'x' }] }, 'invalid_role', 'messages[1].role'],
    [{ messages: [{ role: 'user' }] }, 'missing_required_parameter', 'messages[0].content'],
    [{ messages: [{ role: 'user', content: 1 }] }, 'invalid_type', 'messages[0].content'],
    [{ messages: [{ role: 'user', content: [pixel] }] }, 'invalid_image', 'messages[0].content[0].image_url.url'],
    [
      { messages: [{ role: 'tool', tool_call_id: 'a', content: 'x' }] },
      'invalid_tool_call_id',
      'messages[0].tool_call_id',
    ],
    [{ messages: [message], temperature: '0.7' }, 'invalid_type', 'temperature'],
    [{ messages: [message], temperature: 3 }, 'invalid_value', 'temperature'],
    [{ messages: [message], max_tokens: 1.5 }, 'invalid_value', 'max_tokens'],
    [{ messages: [message], tools: [{ type: 'web_search' }] }, 'unsupported_tool_type', 'tools[0].type'],
    [{ messages: [message], provider: { order: ['openai'] } }, 'invalid_type', 'provider'],
    [{ messages: [message], provider: 'acme' }, 'invalid_provider', 'provider'],
    [{ messages: [message], provider: 'sandbox', model: 'openai/gpt' }, 'provider_model_mismatch', 'model'],
    [{ messages: [message], model: 'nothing' }, 'model_not_found', 'model'],
    [{ messages: [message], n: 2 }, 'unsupported_value', 'n'],
    [{ messages: [message], functions: [] }, 'unsupported_parameter', 'functions'],
    [{ messages: [message], prompt: 'x' }, 'unsupported_parameter', 'prompt'],
    [{ messages: [message], max_tokens: 1, max_completion_tokens: 2 }, 'invalid_value', 'max_completion_tokens'],
    [{ messages: [message], stream_options: {} }, 'invalid_value', 'stream_options'],
    [{ messages: [message], model: 'sandbox/echo', max_tokens: 99_999 }, 'max_tokens_too_large', 'max_tokens'],
    [{ messages: [message], byoapi_key: 'a-key-of-mine' }, 'byoapi_key_requires_provider', 'byoapi_key'],
    [{ messages: [message], byoapi_key: 'a key' }, 'invalid_value', 'byoapi_key'],
  ])('%j is %s at %s', async (body, code, param) => {
    const bench = await open();
    const response = await bench.post('/v1/chat/completions', body);
    expect(errorBody.parse(await response.json()).error).toMatchObject({ code, param });
    expect(await bench.requests()).toEqual([]);
  });

  test('an unknown field gives a warning, and is refused only when the client asks for strictness', async () => {
    const bench = await open();
    const body = { ...echo, max_token: 5 };
    const lenient = await bench.post('/chat', body);
    expect(lenient.headers.get('x-portico-warnings')).toBe('unknown_parameter=max_token');
    expect(promptResponse.parse(await lenient.json()).warnings[0]).toMatchObject({ param: 'max_token' });
    const strict = await bench.post('/chat', body, { headers: { 'x-portico-strict': '1' } });
    expect(errorBody.parse(await strict.json()).error).toMatchObject({ code: 'unknown_parameter', param: 'max_token' });
  });
});
