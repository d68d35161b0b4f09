import { afterEach, describe, expect, test } from 'vitest';
import { asArray, asObject } from '#shared/json/foreign-json.ts';
import { type ChatBench, openChatBench } from '../../../tests/gateway-doubles/chat-bench.ts';
import { openVendorDouble } from '../../../tests/gateway-doubles/vendors/vendor-double.ts';
import { Secret } from '../../access/auth/secret.ts';
import { buildCatalogue } from '../../models/catalogue/build-catalogue.ts';

/**
 * Tests OpenAI's two APIs: which one is called, what is sent and received, and what an unverified organisation is
 * refused.
 */

const { models } = buildCatalogue('2026-11-22', []);
const benches: ChatBench[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
});

async function open(options: Parameters<typeof openVendorDouble>[0] = {}) {
  const double = openVendorDouble(options);
  const bench = await openChatBench({
    models,
    plan: 'enterprise',
    balance: '1000',
    providers: { openai: { apiKey: new Secret('platform-key'), baseUrl: 'https://api.openai.com/v1' } },
    fetch: double.send,
  });
  benches.push(bench);
  const ask = async (body: object) => {
    const before = double.calls.length;
    const answer = await bench.post('/v1/chat/completions', body);
    return { status: answer.status, text: await answer.text(), calls: double.calls.slice(before) };
  };
  return { ask };
}

const hello = { role: 'user', content: 'What is the weather in Paris?' };
const tools = [{ type: 'function', function: { name: 'one', description: 'First.' } }];
const model = 'openai/gpt-6-sol';
const paths = (calls: readonly { readonly url: string }[]) => calls.map(({ url }) => new URL(url).pathname);

test.each([
  ['nothing but words', {}, '/v1/chat/completions'],
  ['no thinking', { reasoning_effort: 'none' }, '/v1/chat/completions'],
  ['thinking', { reasoning_effort: 'low' }, '/v1/responses'],
  ['tools', { tools }, '/v1/responses'],
  ['tools and thinking', { tools, reasoning_effort: 'max' }, '/v1/responses'],
])('a request with %s goes to the API that accepts it', async (_what, more, path) => {
  const { ask } = await open();
  const { status, calls } = await ask({ model, messages: [hello], ...more });
  expect({ status, paths: paths(calls) }).toEqual({ status: 200, paths: [path] });
});

test('a model that accepts tools and thinking at chat completions is called there', async () => {
  const { ask } = await open();
  const { calls } = await ask({ model: 'openai/gpt-5.1', messages: [hello], tools, reasoning_effort: 'high' });
  expect(paths(calls)).toEqual(['/v1/chat/completions']);
});

test('every field of a request is translated to the Responses API, and nothing is stored at OpenAI', async () => {
  const { ask } = await open();
  const schema = { type: 'object', properties: {}, additionalProperties: false };
  const { status, text, calls } = await ask({
    model,
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${btoa('%PDF-1.4')}` } },
        ],
      },
      { role: 'assistant', content: 'A cat.' },
      hello,
    ],
    tools: [
      { type: 'function', function: { name: 'one', parameters: schema, strict: true } },
      { type: 'function', function: { name: 'two' } },
    ],
    tool_choice: { type: 'function', function: { name: 'two' } },
    parallel_tool_calls: false,
    reasoning_effort: 'high',
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema, strict: true } },
    verbosity: 'low',
    prompt_cache_key: 'k',
    max_tokens: 9,
    seed: 7,
    logit_bias: { 5: 1 },
  });
  expect(status).toBe(200);
  expect(calls[0]?.body).toEqual({
    model: 'gpt-6-sol',
    input: [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is it?' },
          { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
          { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${btoa('%PDF-1.4')}` },
        ],
      },
      { role: 'assistant', content: 'A cat.' },
      hello,
    ],
    tools: [
      { type: 'function', name: 'one', parameters: schema, strict: true },
      { type: 'function', name: 'two', parameters: { type: 'object', properties: {} }, strict: false },
    ],
    tool_choice: { type: 'function', name: 'two' },
    parallel_tool_calls: false,
    reasoning: { effort: 'high', summary: 'auto' },
    text: { format: { type: 'json_schema', name: 'x', schema, strict: true }, verbosity: 'low' },
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: expect.stringMatching(/^[0-9a-f]{32}$/),
    max_output_tokens: 16,
    store: false,
    stream: true,
  });
  const { warnings, usage } = JSON.parse(text);
  expect(warnings.map(({ code, param }: { code: string; param: string }) => `${code} ${param}`)).toEqual([
    'max_tokens_raised max_tokens',
    'parameter_dropped seed',
    'parameter_dropped logit_bias',
  ]);
  expect(usage).toMatchObject({ prompt_tokens: 20, completion_tokens: 11 });
  expect(usage.completion_tokens_details).toMatchObject({ reasoning_tokens: 4 });
});

test.each([
  ['openai/gpt-5.4', {}, undefined],
  ['openai/gpt-5.4', { reasoning_effort: 'low' }, { effort: 'low', summary: 'auto' }],
  ['openai/gpt-6-sol', {}, { summary: 'auto' }],
  ['openai/gpt-6-sol', { reasoning_effort: 'none' }, { effort: 'none' }],
])('%s is asked for a summary if it thinks, with the request %j', async (id, more, reasoning) => {
  const { ask } = await open();
  const { calls } = await ask({ model: id, messages: [hello], tools, ...more });
  expect(calls[0]?.body.reasoning).toEqual(reasoning);
});

test('with require_parameters, a parameter that the Responses API lacks is refused only there', async () => {
  const { ask } = await open();
  const body = { model, messages: [hello], seed: 7, route: { require_parameters: true } };
  expect((await ask({ ...body, tools })).text).toContain('parameter:seed');
  expect((await ask(body)).status).toBe(200);
});

test('a request with allowed tools offers only these tools to the model', async () => {
  const { ask } = await open();
  const two = { type: 'function', function: { name: 'two' } };
  const tool_choice = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [two] } };
  const { calls } = await ask({ model, messages: [hello], tools: [...tools, two], tool_choice });
  expect(calls[0]?.body).toMatchObject({ tools: [{ name: 'two' }], tool_choice: 'required' });
});

describe("a model's reasoning before its calls", () => {
  const turn = async (ask: Awaited<ReturnType<typeof open>>['ask'], stream: boolean) => {
    const { text } = await ask({ model, messages: [hello], tools, reasoning_effort: 'high', stream });
    if (!stream) return JSON.parse(text).choices[0].message;
    const chunks = text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []));
    const starts = chunks.flatMap(({ choices: [choice] }) => choice?.delta?.tool_calls ?? []).filter(({ id }) => id);
    const args = ['{"a":1}', '{}'];
    const calls = starts.map((call, index) => ({ ...call, function: { ...call.function, arguments: args[index] } }));
    return { role: 'assistant', content: 'Grüße, 世界 👋', tool_calls: calls };
  };
  const results = ['call_a', 'call_b'].map((tool_call_id) => ({ role: 'tool', tool_call_id, content: '1' }));
  const next = (message: object, id = model) => ({ model: id, messages: [hello, message, ...results], tools });

  test.each([false, true])(
    'reasoning before calls arrives encrypted and goes back unchanged, streamed: %s',
    async (stream) => {
      const { ask } = await open();
      const message = await turn(ask, stream);
      const { calls } = await ask(next(message));
      expect(calls[0]?.body.input).toEqual([
        hello,
        {
          type: 'reasoning',
          id: 'rs_1',
          encrypted_content: 'ZW5jcnlwdGVk',
          summary: [{ type: 'summary_text', text: 'Hm.' }],
        },
        { role: 'assistant', content: 'Grüße, 世界 👋' },
        { type: 'function_call', call_id: 'call_a', name: 'one', arguments: '{"a":1}' },
        { type: 'function_call', call_id: 'call_b', name: 'two', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_a', output: '1' },
        { type: 'function_call_output', call_id: 'call_b', output: '1' },
      ]);
    },
  );

  test('reasoning is left out after OpenAI refuses it, and then the request is answered', async () => {
    const { ask } = await open();
    const { status, calls } = await ask(next(await turn(ask, false)));
    expect(calls.map(({ refusal }) => refusal?.code ?? null)).toEqual(['invalid_encrypted_content', null]);
    expect(status).toBe(200);
    expect(JSON.stringify(calls[1]?.body)).not.toContain('"reasoning",');
  });

  test('reasoning is not sent to another model, and extra fields added to it are not passed on', async () => {
    const { ask } = await open();
    const message = await turn(ask, false);
    const other = await ask(next(message, 'openai/gpt-5.6-sol'));
    expect(other.calls.map(({ refusal }) => refusal)).toEqual([null]);
    const [first, second] = message.tool_calls;
    const { openai } = first.extra_content;
    const forged = asArray(openai.reasoning_details).map((detail) => ({
      ...asObject(detail),
      url: 'http://169.254.169.254',
    }));
    const extra_content = {
      openai: { ...openai, reasoning_details: [...forged, { type: 'reasoning.encrypted', id: 'http://a', data: 'x' }] },
    };
    const { calls } = await ask(next({ ...message, tool_calls: [{ ...first, extra_content }, second] }));
    expect(JSON.stringify(calls)).not.toMatch(/169\.254|http:\/\/a/);
    expect(JSON.stringify(calls[0]?.body)).toContain('ZW5jcnlwdGVk');
  });
});

describe('an organisation that is not verified', () => {
  const refusedParams = (calls: readonly { readonly refusal: { param?: string | null } | null }[]) =>
    calls.map(({ refusal }) => refusal?.param ?? null);

  test('an unverified organisation gets a non-streaming answer as events, and refused features are not requested again', async () => {
    const { ask } = await open({ verified: false });
    const body = { model, messages: [hello], tools, stream: true };
    const first = await ask(body);
    expect(refusedParams(first.calls)).toEqual(['stream', 'reasoning.summary', null]);
    expect(first.status).toBe(200);
    expect(refusedParams((await ask(body)).calls)).toEqual([null]);
    expect(first.text).toMatch(/Grüße, 世界 👋[\s\S]*"finish_reason":"tool_calls"[\s\S]*data: \[DONE\]/);
  });

  test('an unverified organisation gets a non-streaming chat completion from a model that it may not stream', async () => {
    const { ask } = await open({ verified: false });
    const body = { model: 'openai/gpt-5', messages: [hello], stream: true };
    expect(refusedParams((await ask(body)).calls)).toEqual(['stream', null]);
    const again = await ask(body);
    expect(refusedParams(again.calls)).toEqual([null]);
    expect(again.text).toContain('data: [DONE]');
    expect(refusedParams((await ask({ ...body, model: 'openai/o3' })).calls)).toEqual([null]);
    const other = await ask({ ...body, model: 'openai/gpt-5.1' });
    expect(other.calls[0]?.body.stream).toBe(true);
  });
});
