import { describe, expect, test } from 'vitest';
import { asArray, asObject, type JsonObject } from '#shared/json/foreign-json.ts';
import { getBlocks, getEvents } from '../../../tests/gateway-doubles/message-bench.ts';
import { openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';

/**
 * Parallel tool calls of servers that number and name them in different ways must arrive separately at the clients of
 * every API.
 */

const price = { input: '1', output: '2', cache_read: null, cache_write: null, tiers: [] };
const server = { name: 'Near', kind: 'ollama' as const, apiVersion: null };
const parameters = { type: 'object', properties: { path: { type: 'string' } } };
const model = 'near/qwen3';

/** Opens a gateway for a server that answers with these chunks, or non-streaming with this message. */
async function open(chunks: readonly object[], message: object | null = null) {
  const { post } = await openTestGateway({
    plan: 'local',
    providers: {
      near: {
        apiKey: null,
        baseUrl: 'http://127.0.0.1:9/v1',
        server,
        models: [{ model: 'qwen3', sameAs: null, price }],
      },
    },
    fetch: async () => {
      const usage = { prompt_tokens: 5, completion_tokens: 5 };
      const finish_reason = 'tool_calls';
      if (message) return Response.json({ id: 'c', choices: [{ index: 0, message, finish_reason }], usage });
      const events = chunks.map((delta) => ({ choices: [{ index: 0, delta }] }));
      const last = { choices: [{ index: 0, delta: {}, finish_reason }], usage };
      const lines = [...events, last].map((event) => `data: ${JSON.stringify(event)}\n\n`);
      return new Response(`${lines.join('')}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  return post;
}

interface ReadCall {
  readonly id: unknown;
  readonly name: unknown;
  readonly arguments: unknown;
}

type Post = Awaited<ReturnType<typeof open>>;
const text = 'Read both.';

/** Returns the calls of one answer, as a client of this API reads them. */
const apis: Readonly<Record<string, (post: Post, stream: boolean) => Promise<ReadCall[]>>> = {
  async chat(post, stream) {
    const tools = [{ type: 'function', function: { name: 'read_file', parameters } }];
    const body = { model, stream, tools, messages: [{ role: 'user', content: text }] };
    const response = await post('/v1/chat/completions', body);
    if (!stream) return asArray((await response.json()).choices[0].message.tool_calls).map(getFunction);
    const calls: { id: unknown; name: unknown; arguments: string }[] = [];
    for (const event of getData(await response.text())) {
      const delta = asObject(asObject(asArray(event.choices)[0]).delta);
      for (const call of asArray(delta.tool_calls).map(asObject)) {
        const index = Number(call.index);
        const known = calls[index] ?? { id: call.id, name: asObject(call.function).name, arguments: '' };
        calls[index] = known;
        known.arguments += String(asObject(call.function).arguments ?? '');
      }
    }
    return calls;
  },
  async responses(post, stream) {
    const tools = [{ type: 'function', name: 'read_file', parameters }];
    const response = await post('/v1/responses', { model, stream, tools, input: text });
    const output = stream
      ? asObject(getData(await response.text()).find(({ type }) => type === 'response.completed')?.response).output
      : (await response.json()).output;
    return asArray(output)
      .map(asObject)
      .filter(({ type }) => type === 'function_call')
      .map((item) => ({ id: item.call_id, name: item.name, arguments: item.arguments }));
  },
  async messages(post, stream) {
    const tools = [{ name: 'read_file', input_schema: parameters }];
    const body = { model, stream, tools, max_tokens: 100, messages: [{ role: 'user', content: text }] };
    const response = await post('/v1/messages', body);
    const blocks = stream ? getBlocks(getEvents(await response.text())) : (await response.json()).content;
    return asArray(blocks)
      .map(asObject)
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) }));
  },
};

const getFunction = (call: unknown): ReadCall => {
  const { id, function: fn } = asObject(call);
  return { id, name: asObject(fn).name, arguments: asObject(fn).arguments };
};

const getData = (stream: string): JsonObject[] =>
  stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)));

const toJson = (path: string) => JSON.stringify({ path });
const read = (path: string, more: object = {}) => ({
  function: { name: 'read_file', arguments: toJson(path) },
  ...more,
});
const part = (fragment: string, more: object = {}) => ({ function: { arguments: fragment }, ...more });
const chunk = (...calls: object[]) => ({ tool_calls: calls });
const [a, b] = [toJson('a'), toJson('b')];

/** Each entry contains two calls of `read_file`, for a and for b. */
const twoCalls: readonly (readonly [string, readonly object[]])[] = [
  [
    'index 0 for each, ids of their own',
    [chunk(read('a', { index: 0, id: '1' })), chunk(read('b', { index: 0, id: '2' }))],
  ],
  ['index 0 for each, no ids', [chunk(read('a', { index: 0 })), chunk(read('b', { index: 0 }))]],
  ['index 0 for each in one chunk', [chunk(read('a', { index: 0, id: '1' }), read('b', { index: 0, id: '2' }))]],
  ['index 0 for each in one chunk, no ids', [chunk(read('a', { index: 0 }), read('b', { index: 0 }))]],
  ['neither index nor id', [chunk(read('a')), chunk(read('b'))]],
  ['neither index nor id, in one chunk', [chunk(read('a'), read('b'))]],
  [
    'ids only, in pieces',
    [
      chunk({ id: '1', function: { name: 'read_file', arguments: '' } }),
      chunk(part('{"path":')),
      chunk(part('"a"}')),
      chunk({ id: '2', function: { name: 'read_file', arguments: '{"pa' } }),
      chunk(part('th":"b"}')),
    ],
  ],
  [
    'the id in each piece',
    [
      chunk({ index: 0, id: '1', function: { name: 'read_file', arguments: '' } }),
      chunk(part('{"path":', { index: 0, id: '1' })),
      chunk(part('"a"}', { index: 0, id: '1' })),
      chunk({ index: 0, id: '2', function: { name: 'read_file', arguments: '' } }),
      chunk(part('{"path":', { index: 0, id: '2' })),
      chunk(part('"b"}', { index: 0, id: '2' })),
    ],
  ],
  [
    'name and id in each piece',
    [
      chunk({ index: 0, id: '1', function: { name: 'read_file', arguments: '{"path":' } }),
      chunk({ index: 0, id: '1', function: { name: 'read_file', arguments: '"a"}' } }),
      chunk({ index: 1, id: '2', function: { name: 'read_file', arguments: '{"path":' } }),
      chunk({ index: 1, id: '2', function: { name: 'read_file', arguments: '"b"}' } }),
    ],
  ],
  [
    'an id of its own for each piece',
    [
      chunk({ index: 0, id: '1', function: { name: 'read_file', arguments: '' } }),
      chunk(part('{"path":', { index: 0, id: '2' })),
      chunk(part('"a"}', { index: 0, id: '3' })),
      chunk({ index: 1, id: '4', function: { name: 'read_file', arguments: '' } }),
      chunk(part('{"path":"b"}', { index: 1, id: '5' })),
    ],
  ],
  ['one id for both', [chunk(read('a', { index: 0, id: 'call' })), chunk(read('b', { index: 1, id: 'call' }))]],
  [
    'the name after the id',
    [
      chunk({ index: 0, id: '1', function: { arguments: '' } }),
      chunk({ index: 0, function: { name: 'read_file', arguments: '' } }),
      chunk(part(a, { index: 0 })),
      chunk({ index: 1, id: '2' }),
      chunk({ index: 1, function: { name: 'read_file' } }),
      chunk(part(b, { index: 1 })),
    ],
  ],
  [
    'the name after the id, without an index',
    [
      chunk({ id: '1' }),
      chunk({ function: { name: 'read_file' } }),
      chunk(part(a)),
      chunk({ id: '2' }),
      chunk({ function: { name: 'read_file' } }),
      chunk(part(b)),
    ],
  ],
  [
    'an index and pieces that mix',
    [
      chunk({ index: 0, id: '1', function: { name: 'read_file', arguments: '' } }),
      chunk({ index: 1, id: '2', function: { name: 'read_file', arguments: '' } }),
      chunk(part('{"path":', { index: 0 }), part('{"path":', { index: 1 })),
      chunk(part('"a"}', { index: 0 }), part('"b"}', { index: 1 })),
    ],
  ],
  [
    'places in the chunk alone',
    [
      chunk({ id: '1', function: { name: 'read_file' } }, { id: '2', function: { name: 'read_file' } }),
      chunk(part('{"path":'), part('{"path":')),
      chunk(part('"a"}'), part('"b"}')),
    ],
  ],
  [
    'arguments as objects',
    [
      chunk({ index: 0, id: '1', function: { name: 'read_file', arguments: { path: 'a' } } }),
      chunk({ index: 0, id: '2', function: { name: 'read_file', arguments: { path: 'b' } } }),
    ],
  ],
];

describe.each(Object.entries(apis))('%s', (_api, ask) => {
  test.each(twoCalls)('keeps streamed calls apart: %s', async (_name, chunks) => {
    const calls = await ask(await open(chunks), true);
    expect(calls.map(({ name, arguments: json }) => [name, json])).toEqual([
      ['read_file', a],
      ['read_file', b],
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  });

  test.each<[string, readonly object[]]>([
    ['one id for both', [read('a', { id: 'call' }), read('b', { id: 'call' })]],
    ['index 0 for each', [read('a', { index: 0 }), read('b', { index: 0 })]],
    ['arguments as objects', ['a', 'b'].map((path) => ({ function: { name: 'read_file', arguments: { path } } }))],
  ])('keeps the calls of a non-streaming answer apart: %s', async (_name, calls) => {
    const received = await ask(await open([], { content: null, tool_calls: calls }), false);
    expect(received.map(({ arguments: json }) => json)).toEqual([a, b]);
    expect(new Set(received.map(({ id }) => id)).size).toBe(2);
  });

  test.each([false, true])('gives a call without arguments an empty object, streamed: %s', async (stream) => {
    const calls = [
      { index: 0, id: '1', function: { name: 'read_file', arguments: '' } },
      { index: 1, id: '2', function: { name: 'read_file' } },
    ];
    const received = await ask(
      await open([chunk(...calls)], stream ? null : { content: null, tool_calls: calls }),
      stream,
    );
    expect(received.map(({ arguments: json }) => json)).toEqual(['{}', '{}']);
  });
});

test('invalid JSON arguments in a non-streaming message are kept instead of dropped', async () => {
  const calls = ['{"path":"a', '["a"]'].map((json, index) => ({
    id: String(index),
    function: { name: 'read_file', arguments: json },
  }));
  const received = await apis.messages?.(await open([], { content: null, tool_calls: calls }), false);
  expect(received?.map(({ arguments: json }) => JSON.parse(String(json)))).toEqual([
    { INVALID_JSON: '{"path":"a' },
    { INVALID_JSON: '["a"]' },
  ]);
});
