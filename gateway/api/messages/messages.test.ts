import { describe, expect, test } from 'vitest';
import { messagesAnswer, messagesError } from '#shared/wire/messages-answer.ts';
import { getBlocks, getEvents, openForMessages, user } from '../../../tests/gateway-doubles/message-bench.ts';
import { recordedStreams } from '../../../tests/gateway-doubles/recorded-streams.ts';
import { streamingUpstream, vendorModels } from '../../../tests/gateway-doubles/three-vendors.ts';
import { createMessageWriter } from './messages-form.ts';

/** Tests the Messages API with three vendors: what it sends to them, what it answers, and what it refuses. */

const redDot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const pdf = Buffer.from('%PDF-1.4\n%%EOF').toString('base64');
const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: redDot } };
const document = {
  type: 'document',
  title: 'a.pdf',
  source: { type: 'base64', media_type: 'application/pdf', data: pdf },
};
const look = { name: 'look', description: 'Looks', input_schema: { type: 'object', properties: {} } };
const use = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 1 } };
const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more });

describe.each(vendorModels)('the Messages API with %s', (model) => {
  test('a round of tool calls is completed, streamed and non-streaming, at the cost in the ledger', async () => {
    const { send, calls, spent } = await openForMessages();
    const asked = {
      model,
      system: 'Be short.',
      tools: [
        { ...look, name: 'one' },
        { ...look, name: 'two' },
      ],
      thinking: { type: 'enabled', budget_tokens: 5_000 },
    };
    const first = messagesAnswer.parse(await (await send(asked)).json());
    const uses = first.content.filter(({ type }) => type === 'tool_use');
    expect(uses.map(({ name, input }) => [name, input])).toEqual([
      ['one', { a: 1 }],
      ['two', {}],
    ]);
    const results = uses.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' }));
    const messages = [user('hi'), { role: 'assistant', content: first.content }, user(results)];
    const response = await send({ ...asked, messages, stream: true });
    const events = getEvents(await response.text());
    expect(calls.map(({ refusal }) => refusal)).toEqual([null, null]);
    expect([events[0]?.type, ...events.slice(-2).map(({ type }) => type)]).toEqual([
      ...['message_start', 'message_delta', 'message_stop'],
    ]);
    const [end] = events.slice(-2);
    expect(end?.delta).toMatchObject({ stop_reason: 'tool_use', stop_sequence: null });
    expect(getBlocks(events)).toEqual(first.content);
    expect([first.usage.cost_usd, end?.usage.cost_usd]).toEqual(await spent());
    const { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: written } = first.usage;
    expect([input + read + written, first.usage.output_tokens]).toEqual([20, 11]);
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
  });
});

test('thinking comes back to the vendor that signed it', async () => {
  const { send, calls } = await openForMessages();
  const tools = [
    { ...look, name: 'one' },
    { ...look, name: 'two' },
  ];
  const again = async (model: string) => {
    const asked = { model, tools, thinking: { type: 'enabled', budget_tokens: 5_000, display: 'omitted' } };
    const { content } = messagesAnswer.parse(await (await send(asked)).json());
    expect(content.map(({ type }) => type)).toEqual(['text', 'redacted_thinking', 'tool_use', 'tool_use']);
    const results = ['one', 'two'].map((_, index) => ({ type: 'tool_result', tool_use_id: content[index + 2]?.id }));
    await send({ ...asked, messages: [user('hi'), { role: 'assistant', content }, user(results)] });
    return JSON.stringify(calls.at(-1)?.body);
  };
  expect(await again(vendorModels[1] ?? '')).toContain('{"type":"thinking","thinking":"Hm.","signature":"c2ln"}');
  expect(await again(vendorModels[2] ?? '')).toContain('"thoughtSignature":"c2ln"');
  const own = [{ type: 'thinking', thinking: 'Hm.', signature: 'anthropics-own' }, use];
  const result = { type: 'tool_result', tool_use_id: use.id, content: 'ok' };
  await send({
    tools: [look],
    thinking: { type: 'adaptive' },
    messages: [user('hi'), { role: 'assistant', content: own }, user([result])],
  });
  expect(JSON.stringify(calls.at(-1)?.body)).toContain('"signature":"anthropics-own"');
});

describe('the Messages API sends to Anthropic', () => {
  const marked = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  test.each<[string, object, object]>([
    [
      'a request with its fields unchanged',
      { system: 'Be short.', temperature: 0.5, stop_sequences: ['END'] },
      { system: 'Be short.', temperature: 0.5, stop_sequences: ['END'], max_tokens: 6_000 },
    ],
    [
      'cache marks',
      {
        system: [text('a'), text('b', marked)],
        tools: [{ ...look, ...marked }],
        messages: [user([text('hi', marked)])],
      },
      { system: [text('a'), text('b', marked)], tools: [marked], messages: [user([text('hi', marked)])] },
    ],
    [
      'a cache mark for the whole request',
      { cache_control: { type: 'ephemeral' } },
      { messages: [user([text('hi', { cache_control: { type: 'ephemeral' } })])] },
    ],
    ['pictures and documents', { messages: [user([picture, document])] }, { messages: [user([picture, document])] }],
    [
      'text documents and search results',
      {
        messages: [
          user([
            { type: 'document', title: 't', source: { type: 'text', media_type: 'text/plain', data: 'a' } },
            { type: 'search_result', title: 'u', source: 'v', content: [text('b')] },
          ]),
        ],
      },
      { messages: [user([text('Document "t":\n\na'), text('Search result "u" (v):\n\nb')])] },
    ],
    [
      'tool calls and results, with pictures and errors',
      {
        tools: [look],
        messages: [
          user('hi'),
          { role: 'assistant', content: [text('I look.'), use, { ...use, id: 'toolu_2' }] },
          user([
            { type: 'tool_result', tool_use_id: 'toolu_1', content: [text('a'), picture] },
            { type: 'tool_result', tool_use_id: 'toolu_2', content: 'no', is_error: true },
            text('So?'),
          ]),
        ],
      },
      {
        messages: [
          user([text('hi')]),
          { role: 'assistant', content: [text('I look.'), use, { ...use, id: 'toolu_2' }] },
          user([
            { type: 'tool_result', tool_use_id: 'toolu_1', content: [text('a'), picture] },
            { type: 'tool_result', tool_use_id: 'toolu_2', content: 'no', is_error: true },
            text('So?'),
          ]),
        ],
      },
    ],
    [
      'a limit of one call at a time',
      { tools: [look], tool_choice: { type: 'any', disable_parallel_tool_use: true } },
      { tool_choice: { type: 'any', disable_parallel_tool_use: true } },
    ],
    [
      'a choice of a tool by its name',
      { tools: [look], tool_choice: { type: 'tool', name: 'look' } },
      { tool_choice: { type: 'tool', name: 'look' } },
    ],
    ['nothing for disabled thinking', { thinking: { type: 'disabled' } }, { messages: [user([text('hi')])] }],
    [
      'an output format',
      {
        output_config: {
          format: { type: 'json_schema', schema: { type: 'object', properties: {}, additionalProperties: false } },
        },
      },
      { output_config: { format: { type: 'json_schema' } } },
    ],
    [
      'system messages between turns',
      { messages: [user('hi'), { role: 'system', content: 'In French.' }, user('So?')] },
      { system: 'In French.' },
    ],
  ])('%s', async (_name, body, expected) => {
    const { send, calls } = await openForMessages();
    const response = await send(body);
    expect(await response.json()).toMatchObject({ type: 'message', warnings: [] });
    expect(calls).toMatchObject([{ body: expected, refusal: null }]);
  });

  test("a long user id is sent as a hash, and a result's document after the results", async () => {
    const { send, calls } = await openForMessages();
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [document] };
    const messages = [user('hi'), { role: 'assistant', content: [use] }, user([result])];
    expect((await send({ metadata: { user_id: 'x'.repeat(600) }, tools: [look], messages })).status).toBe(200);
    const asked = calls[0]?.body as { messages: { content: { type: string }[] }[] };
    expect(asked.messages.at(-1)?.content.map(({ type }) => type)).toEqual(['tool_result', 'text', 'document']);
  });

  test("all tools are sent from the beginning, including those that the client's tool search found", async () => {
    const { send, calls } = await openForMessages();
    const content = [{ type: 'tool_reference', tool_name: 'look' }];
    const found = { type: 'tool_result', tool_use_id: use.id, content };
    const messages = [user('hi'), { role: 'assistant', content: [use] }, user([found])];
    expect((await send({ tools: [look, { ...look, name: 'later', defer_loading: true }], messages })).status).toBe(200);
    expect(calls.map(({ refusal }) => refusal)).toEqual([null]);
    expect(JSON.stringify(calls[0]?.body.messages)).toContain('The tool \\"look\\" can be called now.');
    expect(calls[0]?.body.tools).toMatchObject([{ name: 'look' }, { name: 'later' }]);
  });

  test("a turn with more pictures than a chat completion's turn may have is sent as one message", async () => {
    const { send, calls } = await openForMessages();
    expect((await send({ messages: [user(Array(45).fill(picture))] })).status).toBe(200);
    expect(calls).toMatchObject([{ body: { messages: [{ content: { length: 45 } }] } }]);
  });
});

test('fields that are left out are reported as warnings', async () => {
  const { send } = await openForMessages();
  const response = await send(
    { top_k: 5, service_tier: 'standard_only', context_management: { edits: [] } },
    { 'anthropic-beta': 'context-management-2025-06-27' },
  );
  const { warnings } = messagesAnswer.parse(await response.json());
  expect(warnings?.map(({ code, param }) => `${code} ${param}`)).toEqual([
    ...['parameter_dropped top_k', 'parameter_dropped service_tier', 'unknown_parameter context_management'],
  ]);
  expect(response.headers.get('x-portico-warnings')).toContain('parameter_dropped=top_k');
});

test('count_tokens returns the estimate used for admission and costs nothing', async () => {
  const { post, spent, calls } = await openForMessages();
  const body = { model: 'claude-sonnet-4-5', messages: [user('x'.repeat(350))] };
  expect(await (await post('/v1/messages/count_tokens', body)).json()).toEqual({ input_tokens: 104 });
  const large = { ...body, messages: [user('x'.repeat(350_000))] };
  expect(await (await post('/v1/messages/count_tokens', large)).json()).toEqual({ input_tokens: 100_004 });
  const unknown = await post('/v1/messages/count_tokens', { ...body, model: 'nothing' });
  expect(messagesError.parse(await unknown.json()).error.type).toBe('not_found_error');
  expect([await spent(), calls]).toEqual([[], []]);
});

test('a credential is read from either header, and from the authorization header if both are sent', async () => {
  const { send, key } = await openForMessages();
  const both = { authorization: `Bearer ${key}`, 'x-api-key': 'sk-ant-of-somebody-else' };
  expect((await send({}, both)).status).toBe(200);
  expect((await send({}, { ...both, authorization: 'Bearer sk-ant-nothing', 'x-api-key': key })).status).toBe(401);
});

test('a large request sends the same as a small one, and a repeat gets the same message', async () => {
  const { send, calls } = await openForMessages();
  const long = 'x'.repeat(200_000);
  await send({ messages: [user(long)], tools: [look] });
  await send({ tools: [look] });
  expect(JSON.stringify(calls[0]?.body).replace(long, 'hi')).toBe(JSON.stringify(calls[1]?.body));
  const once = { 'idempotency-key': 'once' };
  const first = await (await send({}, once)).text();
  expect(await (await send({}, once)).text()).toBe(first);
  expect(calls).toHaveLength(3);
});

test('the keep-alive event is a ping', () => {
  const writer = createMessageWriter({ id: 'msg_1', requestId: 'req_1', created: 1 }, false);
  expect(writer.keepAlive).toBe('event: ping\ndata: {"type":"ping"}\n\n');
});

test.each([
  ['/v1/messages', { max_tokens: 6_000, messages: [user('hi')] }],
  ['/v1/responses', { input: 'hi' }],
])("%s: the caller's own provider key is used, not shown and not charged for", async (path, asked) => {
  const seen: string[] = [];
  const answer = streamingUpstream(...recordedStreams.anthropic);
  const { post, spent, key } = await openForMessages({
    fetch: (input, init) => {
      seen.push(new Headers(init?.headers).get('x-api-key') ?? '');
      return answer(input, init);
    },
  });
  const body = { model: 'anthropic/claude-sonnet-4-5', ...asked };
  const own = 'own-key-of-the-caller';
  const text = await (await post(path, { ...body, byoapi_key: own }, { authorization: `Bearer ${key}` })).text();
  expect([seen, text.includes(own)]).toEqual([[own], false]);
  expect(JSON.parse(text)).toMatchObject({ byok: true, usage: { cost_usd: '0' } });
  expect(await spent()).toEqual([]);
});
