import { describe, expect, test } from 'vitest';
import type { ErrorBody } from '#shared/wire/error.ts';
import { responsesAnswer } from '#shared/wire/responses-answer.ts';
import type { TestGatewayOptions } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../../../tests/gateway-doubles/recorded-streams.ts';
import { openThreeVendors, streamingUpstream } from '../../../tests/gateway-doubles/three-vendors.ts';

/** Tests how a request of the Responses API is read, and how it's refused. */

const redDot =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const pdf = Buffer.from('%PDF-1.4\n%%EOF').toString('base64');
const look = { type: 'function', name: 'look', parameters: { type: 'object' } };
const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' };

async function open(options: TestGatewayOptions = {}) {
  const { post, call: ask, calls, spent } = await openThreeVendors(options);
  return {
    ask,
    calls,
    spent,
    send: (body: object, headers: Record<string, string> = {}) =>
      post('/v1/responses', { model: 'gpt-4.1', input: 'hi', ...body }, { headers }),
  };
}

const user = (content: unknown) => ({ role: 'user', content });

describe('the Responses API sends to OpenAI', () => {
  test.each<[string, object, object]>([
    ['a single text', { input: 'hi' }, { messages: [user('hi')] }],
    [
      'instructions and turns',
      {
        instructions: 'Be short.',
        input: [
          { role: 'developer', content: 'In French.' },
          { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
          {
            type: 'message',
            role: 'assistant',
            id: 'msg_1',
            content: [{ type: 'output_text', text: 'Salut.', annotations: [] }],
          },
          { role: 'user', content: 'More.' },
        ],
      },
      {
        messages: [
          { role: 'system', content: 'Be short.' },
          { role: 'developer', content: 'In French.' },
          user([{ type: 'text', text: 'hi' }]),
          { role: 'assistant', content: [{ type: 'text', text: 'Salut.' }] },
          user('More.'),
        ],
      },
    ],
    [
      'pictures and files',
      {
        input: [
          user([
            { type: 'input_image', image_url: redDot, detail: 'low' },
            { type: 'input_file', file_data: pdf, filename: 'a.pdf' },
          ]),
        ],
      },
      {
        messages: [
          user([
            { type: 'image_url', image_url: { url: redDot, detail: 'low' } },
            { type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}`, filename: 'a.pdf' } },
          ]),
        ],
      },
    ],
    [
      'calls and their results, with one turn for each answer of the model',
      {
        tools: [look],
        input: [
          user('hi'),
          { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
          { role: 'assistant', content: 'I look.' },
          { ...call, id: 'fc_1' },
          { ...call, call_id: 'call_2' },
          { type: 'function_call_output', call_id: 'call_1', output: 'a dot' },
          { type: 'function_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'b' }] },
        ],
      },
      {
        messages: [
          user('hi'),
          {
            role: 'assistant',
            content: [{ type: 'text', text: 'I look.' }],
            tool_calls: ['call_1', 'call_2'].map((id) => ({
              id,
              type: 'function',
              function: { name: 'look', arguments: '{}' },
            })),
          },
          { role: 'tool', tool_call_id: 'call_1', content: 'a dot' },
          { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'b' }] },
        ],
      },
    ],
    [
      'limits and formats',
      {
        max_output_tokens: 50,
        temperature: 0.5,
        top_p: 0.9,
        service_tier: 'priority',
        prompt_cache_key: 'k',
        text: {
          format: {
            type: 'json_schema',
            name: 'a',
            strict: true,
            schema: { type: 'object', properties: {}, additionalProperties: false },
          },
        },
      },
      {
        max_completion_tokens: 50,
        temperature: 0.5,
        top_p: 0.9,
        service_tier: 'priority',
        prompt_cache_key: expect.stringMatching(/^[0-9a-f]{32}$/),
        response_format: { type: 'json_schema', json_schema: { name: 'a', strict: true } },
      },
    ],
    [
      'a choice among some tools with one call at a time',
      {
        tools: [look, { ...look, name: 'other' }],
        tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'look' }] },
        parallel_tool_calls: false,
      },
      { tools: [{ function: { name: 'look' } }], tool_choice: 'required', parallel_tool_calls: false },
    ],
    [
      'a choice of a tool by its name',
      { tools: [look], tool_choice: { type: 'function', name: 'look' } },
      { tool_choice: { type: 'function', function: { name: 'look' } } },
    ],
  ])('%s', async (_name, body, expected) => {
    const { send, calls } = await open();
    const response = await send(body);
    expect(await response.json()).toMatchObject({ status: 'completed', warnings: [{ code: 'model_deprecated' }] });
    expect(calls).toMatchObject([{ body: expected, refusal: null }]);
  });

  test('a file in a tool result is sent as a turn after the results', async () => {
    const { send, calls } = await open();
    const output = [{ type: 'input_file', file_data: pdf, filename: 'a.pdf' }];
    const response = await send({
      tools: [look],
      input: [user('hi'), call, { type: 'function_call_output', call_id: 'call_1', output }],
    });
    expect(response.status).toBe(200);
    expect(calls[0]?.body.messages).toMatchObject([
      ...[{ role: 'user' }, { role: 'assistant' }, { role: 'tool', content: '(A file; it follows.)' }],
      { role: 'user', content: [{ type: 'text' }, { type: 'file' }] },
    ]);
  });
});

describe('the Responses API refuses and explains what to do instead', () => {
  test.each<[string, object, string, string]>([
    [
      'a reference to an earlier response',
      { previous_response_id: 'resp_1' },
      'previous_response_id',
      'unsupported_parameter',
    ],
    ['a stored conversation', { conversation: 'conv_1' }, 'conversation', 'unsupported_parameter'],
    ['a stored prompt', { prompt: { id: 'pmpt_1' } }, 'prompt', 'unsupported_parameter'],
    ['a background request', { background: true }, 'background', 'unsupported_parameter'],
    ['a hosted tool', { tools: [look, { type: 'file_search' }] }, 'tools[1].type', 'unsupported_tool_type'],
    [
      'a reference to an unknown item',
      { input: [{ type: 'item_reference', id: 'msg_1' }] },
      'input[0].type',
      'unsupported_parameter',
    ],
    [
      'only a call of a hosted tool',
      { input: [{ type: 'web_search_call', id: 'ws_1' }] },
      'input[0].type',
      'unsupported_parameter',
    ],
    [
      'a stored file',
      { input: [user([{ type: 'input_file', file_id: 'file_1' }])] },
      'input[0].content[0].file_data',
      'unsupported_file_id',
    ],
    [
      'a stored picture',
      { input: [user([{ type: 'input_image', file_id: 'file_1' }])] },
      'input[0].content[0].image_url',
      'unsupported_file_id',
    ],
    [
      'a picture with invalid data',
      { input: [user('a'), user([{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }])] },
      'input[1]',
      'invalid_image',
    ],
    [
      'a result without a call',
      { input: [{ type: 'function_call_output', call_id: 'x', output: '' }] },
      'input[0]',
      'invalid_tool_call_id',
    ],
    ['a request without input', { input: undefined }, 'input', 'missing_required_parameter'],
    ['a field of the wrong type', { max_output_tokens: '5' }, 'max_output_tokens', 'invalid_type'],
    ['too many output tokens', { max_output_tokens: 10_000_000 }, 'max_output_tokens', 'max_tokens_too_large'],
    ['an unknown model', { model: 'gpt-nothing' }, 'model', 'model_not_found'],
  ])('%s', async (_name, body, param, code) => {
    const { send, calls } = await open();
    const { error } = (await (await send(body)).json()) as ErrorBody;
    expect({ param: error.param, code: error.code }).toEqual({ param, code });
    if (param === 'input[1]') expect(error.message).toContain('"input[1]"');
    if (param === 'tools[1].type') expect(error.message).toContain('Offer a "function" tool and run it yourself');
    expect(calls).toEqual([]);
  });

  test.each([
    ['GET', '/v1/responses/resp_1', 'POST /v1/responses'],
    ['POST', '/v1/responses/resp_1/cancel', 'POST /v1/responses'],
    ['POST', '/v1/conversations', 'POST /v1/responses'],
    ['POST', '/v1/completions', 'POST /v1/chat/completions'],
    ['POST', '/v1/assistants', 'POST /v1/responses'],
    ['POST', '/v1/batches', 'POST /v1/chat/completions'],
  ])('%s %s is not found, and the error names the nearest path', async (method, path, nearest) => {
    const { ask } = await open();
    const response = await ask(path, { method });
    expect(response.status).toBe(404);
    expect(((await response.json()) as ErrorBody).error.message).toContain(nearest);
  });
});

test('fields that are left out are reported, and in strict mode an unknown field is refused', async () => {
  const { send } = await open();
  const response = await send({
    store: true,
    truncation: 'auto',
    include: ['file_search_call.results'],
    max_tool_calls: 3,
  });
  const { warnings } = (await response.json()) as { warnings: { code: string; param: string }[] };
  expect(warnings.map(({ code, param }) => `${code} ${param}`)).toEqual([
    ...['parameter_dropped store', 'parameter_dropped truncation', 'parameter_dropped include'],
    ...['unknown_parameter max_tool_calls', 'model_deprecated model'],
  ]);
  expect((await send({ max_tool_calls: 3 }, { 'x-portico-strict': '1' })).status).toBe(400);
});

test('warnings about fitted fields use the names of the Responses API', async () => {
  const { send } = await open();
  const asked = { model: 'claude-haiku-4-5', reasoning: { effort: 'max' }, text: { verbosity: 'low' } };
  const { warnings } = responsesAnswer.parse(await (await send(asked)).json());
  const params = warnings?.map(({ param }) => param);
  expect(params).toEqual(expect.arrayContaining(['reasoning.effort', 'text.verbosity']));
});

test('a large request sends the same to the provider as a small one', async () => {
  const { send, calls } = await open();
  const long = 'x'.repeat(200_000);
  const body = { instructions: 'Be short.', tools: [look], temperature: 0.5 };
  const answer = responsesAnswer.parse(await (await send({ input: long, ...body })).json());
  await send({ input: 'hi', ...body });
  expect(JSON.stringify(calls[0]?.body).replace(long, 'hi')).toBe(JSON.stringify(calls[1]?.body));
  expect(answer).toMatchObject({ temperature: 0.5, instructions: null, tools: [] });
});

test('a body that is nested too deeply or too large is refused', async () => {
  const { send, ask } = await open();
  const deep = JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`);
  expect(((await (await send({ metadata: deep })).json()) as ErrorBody).error.code).toBe('invalid_json');
  const headers = { 'content-type': 'application/json', 'content-length': String(26 * 1024 * 1024) };
  expect((await ask('/v1/responses', { method: 'POST', headers, body: '{}' })).status).toBe(413);
});

test('a request without a key, without money or too many requests get 401, 402 and 429', async () => {
  const { send, ask } = await open({ balance: '0' });
  expect((await send({})).status).toBe(402);
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}', key: null };
  expect((await ask('/v1/responses', init)).status).toBe(401);
  const free = await open({ plan: 'free' });
  const statuses = new Set<number>();
  for (let count = 0; count < 25; count += 1) statuses.add((await free.send({ model: 'nothing' })).status);
  expect([...statuses]).toEqual([404, 429]);
});

test('a repeat with the same idempotency key gets the same response, streamed or non-streaming', async () => {
  const { send, calls } = await open();
  const once = { 'idempotency-key': 'once' };
  const first = await (await send({ tools: [look] }, once)).text();
  const again = await send({ tools: [look] }, once);
  expect([again.headers.get('idempotent-replayed'), await again.text()]).toEqual(['true', first]);
  const twice = { 'idempotency-key': 'twice' };
  const end = async () => (await (await send({ stream: true }, twice)).text()).split('event: ').at(-1);
  const streamed = await end();
  const replayed = await end();
  const output = (text = '') => JSON.parse(text.slice(text.indexOf('{'))).response;
  expect({ ...output(replayed) }).toEqual(output(streamed));
  expect(calls).toHaveLength(2);
});

test('a server that continues a complete call ends the stream with an error, and the delivered part is charged', async () => {
  const start = recordedStreams.openai.slice(0, 7);
  const again = [...start, start[5] ?? '', ...recordedStreams.openai.slice(7)];
  const { send, spent } = await open({ fetch: streamingUpstream(...again) });
  const text = await (await send({ stream: true })).text();
  expect(text).toMatch(/event: error\ndata: .*"upstream_bad_response".*\n\nevent: response.failed\n.*\n\n$/);
  expect(await spent()).toHaveLength(1);
});
