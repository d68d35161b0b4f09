import { describe, expect, test } from 'vitest';
import { messagesError } from '#shared/wire/messages-answer.ts';
import { getEvents, openForMessages, user } from '../../../tests/gateway-doubles/message-bench.ts';
import { recordedStreams } from '../../../tests/gateway-doubles/recorded-streams.ts';
import { streamingUpstream } from '../../../tests/gateway-doubles/three-vendors.ts';

/** Tests that the Messages API refuses and fails with the gateway's statuses, in Anthropic's envelope. */

const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };

describe("the Messages API refuses in Anthropic's envelope", () => {
  test.each<[string, object, number, string, string, string?]>([
    [
      'a request without max_tokens',
      { max_tokens: undefined },
      400,
      'invalid_request_error',
      'missing_required_parameter',
      'max_tokens',
    ],
    [
      'a wrong role',
      { messages: [{ role: 'tool', content: 'a' }] },
      400,
      'invalid_request_error',
      'invalid_role',
      'messages[0].role',
    ],
    [
      'a server tool of Anthropic',
      { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] },
      400,
      'invalid_request_error',
      'unsupported_tool_type',
      'tools[0].type',
    ],
    [
      'a web search of some pages only',
      { tools: [{ type: 'web_search_20250305', name: 'web_search', allowed_domains: ['a.example'] }] },
      400,
      'invalid_request_error',
      'unsupported_parameter',
      'tools[0].allowed_domains',
    ],
    [
      'a block of Anthropic’s server tools',
      { messages: [user([{ type: 'container_upload', file_id: 'f' }])] },
      400,
      'invalid_request_error',
      'unsupported_parameter',
      'messages[0].content[0].type',
    ],
    [
      'a block of Anthropic’s server tools in a tool result',
      {
        messages: [
          user([{ type: 'tool_result', tool_use_id: 'x', content: [{ type: 'container_upload', file_id: 'f' }] }]),
        ],
      },
      400,
      'invalid_request_error',
      'unsupported_parameter',
      'messages[0].content[0].content[0].type',
    ],
    [
      'an MCP server',
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
      'a picture with invalid data',
      { messages: [user([picture])] },
      400,
      'invalid_request_error',
      'invalid_image',
      'messages[0]',
    ],
    [
      'a result without a call',
      { messages: [user([{ type: 'tool_result', tool_use_id: 'x' }])] },
      400,
      'invalid_request_error',
      'invalid_tool_call_id',
      'messages[0].content[0]',
    ],
    ['an unknown model', { model: 'claude-nothing' }, 404, 'not_found_error', 'model_not_found', 'model'],
  ])('%s', async (_name, body, status, type, code, param) => {
    const { send, calls } = await openForMessages();
    const response = await send(body);
    const { error, request_id: id } = messagesError.parse(await response.json());
    expect({ status: response.status, type: error.type, code: error.code, param: error.param }).toEqual({
      status,
      type,
      code,
      param,
    });
    if (param === 'tools[0].type') expect(error.message).toContain('Offer a tool with an "input_schema" of your own');
    expect(id).toBe(response.headers.get('request-id'));
    expect(calls).toEqual([]);
  });

  test("refusals for keys, money, size, path and rate have Anthropic's envelope and error types", async () => {
    const { send, post, ask } = await openForMessages({ balance: '0', plan: 'free' });
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
    for (let count = 0; count < 25; count += 1) all.push(await refused(send({ model: 'nothing' })));
    expect(all.at(-1)).toEqual([429, 'rate_limit_error', true]);
  });

  test.each([
    ['openai/gpt-4.1', 'Your input exceeds the context window of this model.'],
    [
      'google/gemini-2.5-pro',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ],
    ['anthropic/claude-sonnet-4-5', 'prompt is too long: 215000 tokens > 200000 maximum'],
  ])('a full context of %s is "prompt is too long", so that clients summarise', async (model, message) => {
    const { send } = await openForMessages({
      fetch: async () => Response.json({ error: { message } }, { status: 400 }),
    });
    for (const stream of [false, true]) {
      const response = await send({ model, stream });
      const { error } = messagesError.parse(await response.json());
      expect([response.status, error.code]).toEqual([400, 'context_length_exceeded']);
      expect(error.message.match(/prompt is too long/g)).toHaveLength(1);
      expect(error.message).toContain(message);
    }
  });

  test.each([
    ['7', '7', null],
    ['60', '60', null],
    ['287441', '86400', 'false'],
  ])('a wait of %s s at the provider is passed on, and clients repeat only after a short one', async (...row) => {
    const [asked, passedOn, repeat] = row;
    const fetch = async () => Response.json({}, { status: 429, headers: { 'retry-after': asked } });
    const { send, post, key } = await openForMessages({ fetch });
    const openai = { model: 'claude-sonnet-4-5', messages: [user('hi')] };
    for (const response of [
      await send({}),
      await post('/v1/chat/completions', openai, { authorization: `Bearer ${key}`, 'x-api-key': '' }),
    ]) {
      const { headers } = response;
      expect([response.status, headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([
        429,
        passedOn,
        repeat,
      ]);
      expect(await response.json()).toMatchObject({ error: { code: 'upstream_rate_limited' } });
    }
  });

  test("an overloaded upstream and a broken stream end with Anthropic's error types", async () => {
    const down = await openForMessages({ fetch: async () => Response.json({ error: {} }, { status: 529 }) });
    const response = await down.send({});
    expect([response.status, messagesError.parse(await response.json()).error.type]).toEqual([503, 'overloaded_error']);
    const begun = recordedStreams.anthropic.slice(0, -3).join('');
    const broken = await openForMessages({ fetch: streamingUpstream(begun) });
    const events = getEvents(await (await broken.send({ stream: true })).text());
    expect(messagesError.parse(events.at(-1)).error).toMatchObject({ type: 'api_error', code: 'upstream_truncated' });
    // The delivered part of the answer is charged.
    expect(await broken.spent()).toHaveLength(1);
  });
});
