import { describe, expect, test } from 'vitest';
import { messagesAnswer, messagesError } from '#shared/wire/messages-answer.ts';
import { Secret } from '../auth/secret.ts';
import { openTestGateway, type TestGatewayOptions } from '../testing/open-test-gateway.ts';
import { recordedStreams } from '../testing/recorded-streams.ts';
import { openVendorDouble } from '../testing/vendors/vendor-double.ts';
import { createMessageWriter } from './message-writer.ts';

/** The Messages API before three vendors: what is asked of them, what is answered, and how it is refused. */

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
const user = (content: unknown) => ({ role: 'user', content });
const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more });
const models = ['openai/gpt-5.4-mini', 'anthropic/claude-sonnet-4-5', 'google/gemini-3.1-pro-preview'];

async function open(options: TestGatewayOptions = {}) {
  const vendors = openVendorDouble();
  const apiKey = new Secret('platform-key');
  const {
    key,
    call: ask,
    ...rest
  } = await openTestGateway({
    providers: {
      openai: { apiKey, baseUrl: 'https://openai.example/v1' },
      anthropic: { apiKey, baseUrl: 'https://anthropic.example' },
      google: { apiKey, baseUrl: 'https://google.example' },
    },
    fetch: vendors.send,
    plan: 'enterprise',
    ...options,
  });
  const post = (path: string, body: object, headers: Record<string, string> = {}) => {
    const given = {
      'content-type': 'application/json',
      'x-api-key': key,
      'anthropic-version': '2023-06-01',
      ...headers,
    };
    return ask(path, { method: 'POST', key: null, headers: given, body: JSON.stringify(body) });
  };
  return {
    ...{ ...rest, ask, key, post, calls: vendors.calls },
    send: (body: object, headers: Record<string, string> = {}) =>
      post('/v1/messages', { model: 'claude-sonnet-4-5', max_tokens: 6_000, messages: [user('hi')], ...body }, headers),
    async spent() {
      const credits = (await (await ask('/credits?type=usage')).json()) as {
        transactions: { data: { amount: string }[] };
      };
      return credits.transactions.data.map(({ amount }) => amount.slice(1)).toReversed();
    },
  };
}

interface Event {
  readonly type: string;
  readonly index: number;
  readonly content_block: Record<string, unknown>;
  readonly delta: Record<string, unknown>;
  readonly usage: { cost_usd: string };
}

function eventsOf(stream: string): Event[] {
  return stream
    .trim()
    .split('\n\n')
    .map((event) => {
      const [name = '', data = ''] = event.split('\n');
      const value = JSON.parse(data.slice('data: '.length)) as Event;
      expect(name).toBe(`event: ${value.type}`);
      return value;
    });
}

/** What a client puts together of a stream. */
function blocksOf(events: readonly Event[]): object[] {
  const blocks: Record<string, unknown>[] = [];
  const json: string[] = [];
  for (const { type, index, content_block: block, delta } of events) {
    if (type === 'content_block_start') blocks[index] = { ...block };
    const open = blocks[index];
    if (!open || type !== 'content_block_delta') continue;
    for (const name of ['text', 'thinking', 'signature']) {
      if (typeof delta[name] === 'string') open[name] = `${open[name] ?? ''}${delta[name]}`;
    }
    if (delta.type === 'input_json_delta') json[index] = `${json[index] ?? ''}${delta.partial_json}`;
  }
  return blocks.map((block, index) =>
    block.type === 'tool_use' ? { ...block, input: JSON.parse(json[index] ?? '{}') } : block,
  );
}

describe.each(models)('before %s', (model) => {
  test('a round of tools is asked and answered, whole and streamed, for what the ledger says', async () => {
    const { send, calls, spent } = await open();
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
    const events = eventsOf(await response.text());
    expect(calls.map(({ refusal }) => refusal)).toEqual([null, null]);
    expect([events[0]?.type, ...events.slice(-2).map(({ type }) => type)]).toEqual([
      ...['message_start', 'message_delta', 'message_stop'],
    ]);
    const [end] = events.slice(-2);
    expect(end?.delta).toMatchObject({ stop_reason: 'tool_use', stop_sequence: null });
    expect(blocksOf(events)).toEqual(first.content);
    expect([first.usage.cost_usd, end?.usage.cost_usd]).toEqual(await spent());
    const { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: written } = first.usage;
    expect([input + read + written, first.usage.output_tokens]).toEqual([20, 11]);
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
  });
});

test('thinking comes back to who signed it', async () => {
  const { send, calls } = await open();
  const tools = [
    { ...look, name: 'one' },
    { ...look, name: 'two' },
  ];
  const again = async (model: string) => {
    const asked = { model, tools, thinking: { type: 'enabled', budget_tokens: 5_000, display: 'omitted' } };
    const { content } = messagesAnswer.parse(await (await send(asked)).json());
    expect(content.map(({ type }) => type)).toEqual(['text', 'redacted_thinking', 'tool_use', 'tool_use']);
    const results = ['one', 'two'].map((_, at) => ({ type: 'tool_result', tool_use_id: content[at + 2]?.id }));
    await send({ ...asked, messages: [user('hi'), { role: 'assistant', content }, user(results)] });
    return JSON.stringify(calls.at(-1)?.body);
  };
  expect(await again(models[1] ?? '')).toContain('{"type":"thinking","thinking":"Hm.","signature":"c2ln"}');
  expect(await again(models[2] ?? '')).toContain('"thoughtSignature":"c2ln"');
  const own = [{ type: 'thinking', thinking: 'Hm.', signature: 'anthropics-own' }, use];
  const result = { type: 'tool_result', tool_use_id: use.id, content: 'ok' };
  await send({
    tools: [look],
    thinking: { type: 'adaptive' },
    messages: [user('hi'), { role: 'assistant', content: own }, user([result])],
  });
  expect(JSON.stringify(calls.at(-1)?.body)).toContain('"signature":"anthropics-own"');
});

describe('a request is asked of Anthropic as', () => {
  const marked = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  test.each<[string, object, object]>([
    [
      'it came',
      { system: 'Be short.', temperature: 0.5, stop_sequences: ['END'] },
      { system: 'Be short.', temperature: 0.5, stop_sequences: ['END'], max_tokens: 6_000 },
    ],
    [
      'marks for its cache',
      {
        system: [text('a'), text('b', marked)],
        tools: [{ ...look, ...marked }],
        messages: [user([text('hi', marked)])],
      },
      { system: [text('a'), text('b', marked)], tools: [marked], messages: [user([text('hi', marked)])] },
    ],
    [
      'a mark at the end of all',
      { cache_control: { type: 'ephemeral' } },
      { messages: [user([text('hi', { cache_control: { type: 'ephemeral' } })])] },
    ],
    ['pictures and documents', { messages: [user([picture, document])] }, { messages: [user([picture, document])] }],
    [
      'documents of text and found ones',
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
      'calls and results, with pictures and failures',
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
      'one call at a time',
      { tools: [look], tool_choice: { type: 'any', disable_parallel_tool_use: true } },
      { tool_choice: { type: 'any', disable_parallel_tool_use: true } },
    ],
    [
      'a tool by its name',
      { tools: [look], tool_choice: { type: 'tool', name: 'look' } },
      { tool_choice: { type: 'tool', name: 'look' } },
    ],
    ['no thinking', { thinking: { type: 'disabled' } }, { messages: [user([text('hi')])] }],
    [
      'a format',
      {
        output_config: {
          format: { type: 'json_schema', schema: { type: 'object', properties: {}, additionalProperties: false } },
        },
      },
      { output_config: { format: { type: 'json_schema' } } },
    ],
    [
      'words of the system between turns',
      { messages: [user('hi'), { role: 'system', content: 'In French.' }, user('So?')] },
      { system: 'In French.' },
    ],
  ])('%s', async (_name, body, expected) => {
    const { send, calls } = await open();
    const response = await send(body);
    expect(await response.json()).toMatchObject({ type: 'message', warnings: [] });
    expect(calls).toMatchObject([{ body: expected, refusal: null }]);
  });

  test('a long name of its user as one that fits, and a result’s document after the results', async () => {
    const { send, calls } = await open();
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [document] };
    const messages = [user('hi'), { role: 'assistant', content: [use] }, user([result])];
    expect((await send({ metadata: { user_id: 'x'.repeat(600) }, tools: [look], messages })).status).toBe(200);
    const asked = calls[0]?.body as { messages: { content: { type: string }[] }[] };
    expect(asked.messages.at(-1)?.content.map(({ type }) => type)).toEqual(['tool_result', 'text', 'document']);
  });

  test('a conversation of more pictures than one turn takes', async () => {
    const { send, calls } = await open();
    expect((await send({ messages: [user(Array(45).fill(picture))] })).status).toBe(200);
    expect(calls).toMatchObject([{ body: { messages: [{ content: { length: 45 } }] } }]);
  });
});

describe('is refused in Anthropic’s envelope:', () => {
  test.each<[string, object, number, string, string, string?]>([
    ['no limit', { max_tokens: undefined }, 400, 'invalid_request_error', 'missing_required_parameter', 'max_tokens'],
    [
      'a wrong role',
      { messages: [{ role: 'tool', content: 'a' }] },
      400,
      'invalid_request_error',
      'invalid_role',
      'messages[0].role',
    ],
    [
      'a tool of Anthropic’s',
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      400,
      'invalid_request_error',
      'unsupported_tool_type',
      'tools[0].type',
    ],
    [
      'a block of its servers',
      { messages: [user([{ type: 'container_upload', file_id: 'f' }])] },
      400,
      'invalid_request_error',
      'unsupported_parameter',
      'messages[0].content[0].type',
    ],
    [
      'a server of tools',
      { mcp_servers: [{ url: 'https://a.example' }] },
      400,
      'invalid_request_error',
      'unsupported_parameter',
      'mcp_servers',
    ],
    [
      'a stored file',
      { messages: [user([{ type: 'document', source: { type: 'file', file_id: 'f' } }])] },
      400,
      'invalid_request_error',
      'unsupported_file_id',
      'messages[0].content[0].source',
    ],
    [
      'a picture that is none',
      { messages: [user([{ ...picture, source: { ...picture.source, data: 'AAAA' } }])] },
      400,
      'invalid_request_error',
      'invalid_image',
      'messages[0]',
    ],
    [
      'a result of no call',
      { messages: [user([{ type: 'tool_result', tool_use_id: 'x' }])] },
      400,
      'invalid_request_error',
      'invalid_tool_call_id',
      'messages[0].content[0]',
    ],
    ['an unknown model', { model: 'claude-nothing' }, 404, 'not_found_error', 'model_not_found', 'model'],
    [
      'too long an answer',
      { max_tokens: 1_000_000 },
      400,
      'invalid_request_error',
      'max_tokens_too_large',
      'max_tokens',
    ],
  ])('%s', async (_name, body, status, type, code, param) => {
    const { send, calls } = await open();
    const response = await send(body);
    const { error, request_id: id } = messagesError.parse(await response.json());
    expect({ status: response.status, type: error.type, code: error.code, param: error.param }).toEqual({
      status,
      type,
      code,
      param,
    });
    expect(id).toBe(response.headers.get('request-id'));
    expect(calls).toEqual([]);
  });

  test('who may not, has no money, sends too much, asks too often or elsewhere', async () => {
    const { send, post, ask } = await open({ balance: '0', plan: 'free' });
    const refused = async (response: Response | Promise<Response>) => {
      const { status, headers } = await response;
      return [
        status,
        messagesError.parse(await (await response).json()).error.type,
        headers.get('retry-after') !== null,
      ];
    };
    expect(await refused(send({}))).toEqual([402, 'billing_error', false]);
    expect(await refused(send({}, { 'x-api-key': 'sk-portico-nothing' }))).toEqual([
      401,
      'authentication_error',
      false,
    ]);
    expect(await refused(send({}, { 'content-length': String(2 ** 25) }))).toEqual([413, 'request_too_large', false]);
    expect(await refused(ask('/v1/messages'))).toEqual([405, 'invalid_request_error', false]);
    expect(await refused(post('/v1/messages/batches', {}))).toEqual([404, 'not_found_error', false]);
    const all = [];
    for (let at = 0; at < 25; at += 1) all.push(await refused(send({ model: 'nothing' })));
    expect(all.at(-1)).toEqual([429, 'rate_limit_error', true]);
  });

  test('an upstream that is down, and one that breaks off', async () => {
    const down = await open({ fetch: async () => Response.json({ error: {} }, { status: 529 }) });
    const response = await down.send({});
    expect([response.status, messagesError.parse(await response.json()).error.type]).toEqual([503, 'overloaded_error']);
    const begun = recordedStreams.anthropic.slice(0, -3).join('');
    const broken = await open({
      fetch: async () => new Response(begun, { headers: { 'content-type': 'text/event-stream' } }),
    });
    const events = eventsOf(await (await broken.send({ stream: true })).text());
    expect(messagesError.parse(events.at(-1)).error).toMatchObject({ type: 'api_error', code: 'upstream_truncated' });
    expect(await broken.spent()).toEqual([]);
  });
});

test('what is left out is said', async () => {
  const { send } = await open();
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

test('tokens are counted as they are when a request is admitted, for nothing', async () => {
  const { post, spent, calls } = await open();
  const body = { model: 'claude-sonnet-4-5', messages: [user('x'.repeat(350))] };
  expect(await (await post('/v1/messages/count_tokens', body)).json()).toEqual({ input_tokens: 104 });
  const large = { ...body, messages: [user('x'.repeat(350_000))] };
  expect(await (await post('/v1/messages/count_tokens', large)).json()).toEqual({ input_tokens: 100_004 });
  const unknown = await post('/v1/messages/count_tokens', { ...body, model: 'nothing' });
  expect(messagesError.parse(await unknown.json()).error.type).toBe('not_found_error');
  expect([await spent(), calls]).toEqual([[], []]);
});

test('a credential may come in either header; of two the usual one holds', async () => {
  const { send, key } = await open();
  const both = { authorization: `Bearer ${key}`, 'x-api-key': 'sk-ant-of-somebody-else' };
  expect((await send({}, both)).status).toBe(200);
  expect((await send({}, { ...both, authorization: 'Bearer sk-ant-nothing', 'x-api-key': key })).status).toBe(401);
});

test('a large request is read elsewhere and asks the same; a repeat gets the same message', async () => {
  const { send, calls } = await open();
  const long = 'x'.repeat(200_000);
  await send({ messages: [user(long)], tools: [look] });
  await send({ tools: [look] });
  expect(JSON.stringify(calls[0]?.body).replace(long, 'hi')).toBe(JSON.stringify(calls[1]?.body));
  const once = { 'idempotency-key': 'once' };
  const first = await (await send({}, once)).text();
  expect(await (await send({}, once)).text()).toBe(first);
  expect(calls).toHaveLength(3);
});

test('silence is filled with pings', () => {
  const writer = createMessageWriter({ id: 'msg_1', requestId: 'req_1', created: 1 }, false);
  expect(writer.keepAlive).toBe('event: ping\ndata: {"type":"ping"}\n\n');
});
