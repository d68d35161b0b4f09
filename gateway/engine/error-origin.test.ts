import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { type RequestRecord, requestList } from '#shared/wire/request-record.ts';
import { openTestGateway, type TestGatewayOptions } from '../../tests/gateway-doubles/open-test-gateway.ts';
import {
  brokenReply,
  errorReply,
  openUpstream,
  type Reply,
  streamReply,
  type Upstream,
} from '../../tests/gateway-doubles/upstream-server.ts';
import { figure } from '../../tests/support/figures.ts';
import { Secret } from '../access/auth/secret.ts';

/**
 * An answer is free only when the upstream itself failed before the caller got anything (wire contract §1.4.7, decision 101), by each way
 * in. What passes a limit that a caller can reach on purpose is answered completely, and charged.
 */

let upstream: Upstream;
beforeEach(async () => {
  upstream = await openUpstream(streamReply(''));
});
afterEach(() => upstream.close());

async function open(options: TestGatewayOptions = {}) {
  const apiKey = new Secret('platform-key');
  const opened = await openTestGateway({
    providers: {
      openai: { apiKey, baseUrl: `${upstream.origin}/v1` },
      google: { apiKey, baseUrl: upstream.origin },
    },
    ...options,
  });
  const ended = async (): Promise<RequestRecord> => {
    const read = async () => requestList.parse(await (await opened.call('/v1/requests')).json()).data;
    await expect.poll(async () => (await read()).map(({ status }) => status)).not.toContain('running');
    const [newest] = await read();
    if (!newest) throw new Error('no request was booked');
    return newest;
  };
  const ledgerIsExact = async () => {
    const { checks } = await opened.gateway.operator.checkLedger();
    expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
  };
  return { ...opened, ended, ledgerIsExact };
}

const sse = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const chunk = (choice: object, usage: object | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-4.1',
  choices: usage ? [] : [{ index: 0, finish_reason: null, ...choice }],
  usage,
});

/** Answers with `count` tokens, each in a chunk of its own, and the usage at the end. */
function tokensReply(count: number, logprobs?: object): Reply {
  const piece = `data: ${JSON.stringify(chunk({ delta: { content: 'word ' }, ...(logprobs ? { logprobs } : {}) }))}\n\n`;
  const usage = { prompt_tokens: 10, completion_tokens: count, total_tokens: 10 + count };
  const end = `${sse([chunk({ delta: {}, finish_reason: 'stop' }), chunk({}, usage)])}data: [DONE]\n\n`;
  return async (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let sent = 0; sent < count; sent += 1_000) {
      const block = piece.repeat(Math.min(1_000, count - sent));
      if (!response.write(block)) await new Promise((drained) => response.once('drain', drained));
    }
    response.end(end);
  };
}

/** $2 and $8 a million tokens. */
const getCost = (input: number, output: number) => BigInt(input) * 2_000n + BigInt(output) * 8_000n;
const hello = [{ role: 'user', content: 'hello' }];

describe('a limit that a caller can reach on purpose', () => {
  test('an answer that is too long is not stored for its idempotency key, has a warning, and is charged completely', async () => {
    const alternatives = Array.from({ length: 20 }, (_, at) => ({
      token: `word${at}`,
      logprob: -at,
      bytes: [119, 111, at],
    }));
    const logprobs = {
      content: [{ token: 'word ', logprob: -1, bytes: [119], top_logprobs: alternatives }],
      refusal: null,
    };
    upstream.replyWith(tokensReply(10_000, logprobs));
    const { post, ended, ledgerIsExact } = await open();
    const body = { model: 'openai/gpt-4.1', stream: true, logprobs: true, top_logprobs: 20, messages: hello };
    const headers = { 'idempotency-key': 'k1' };
    const text = await (await post('/v1/chat/completions', body, { headers })).text();
    expect(text.split('"word "').length - 1).toBeGreaterThanOrEqual(10_000);
    // The text is 10 MB long.
    const end = text.slice(-2_000);
    expect(end).toContain('idempotency_not_kept');
    expect(end).toMatch(/data: \[DONE\]\s*$/);
    const record = await ended();
    expect(record).toMatchObject({ status: 'succeeded', completion_tokens: 10_000 });
    expect(parseUsd(record.cost_usd)).toBe(getCost(10, 10_000));
    const again = await post('/v1/chat/completions', body, { headers });
    expect(again.headers.has('idempotent-replayed')).toBe(false);
    await again.text();
    await ledgerIsExact();
  });

  test.each([
    ['/v1/responses', { input: 'hello', stream: true }],
    ['/v1/messages', { messages: hello, max_tokens: 32_768, stream: true }],
  ])('does not end an answer of as many one-token pieces as models give: %s', async (path, body) => {
    upstream.replyWith(tokensReply(128_000));
    const { post, ended } = await open({ balance: '100' });
    const text = await (await post(path, { model: 'openai/gpt-4.1', ...body })).text();
    expect(text.slice(-2_000)).not.toContain('upstream_bad_response');
    const record = await ended();
    expect(record.status).toBe('succeeded');
    expect(parseUsd(record.cost_usd)).toBe(getCost(record.prompt_tokens, record.completion_tokens));
  });

  test('does not end a response that repeats tools of thousands of properties', async () => {
    const properties = Object.fromEntries(Array.from({ length: 9_992 }, (_, at) => [`p${at}`, { type: 'string' }]));
    upstream.replyWith((call, response) => {
      const { tools } = call.body as { tools: readonly object[] };
      const echo = {
        id: 'resp_1',
        object: 'response',
        tools: tools.map((tool) => ({ ...tool, strict: false, more: properties })),
      };
      const usage = { input_tokens: 10, output_tokens: 3_000, total_tokens: 3_010 };
      const events = [
        { type: 'response.created', response: { ...echo, status: 'in_progress' } },
        {
          type: 'response.output_item.added',
          output_index: 0,
          item: { type: 'message', id: 'm', role: 'assistant', content: [] },
        },
        { type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta: 'All of it.' },
        { type: 'response.completed', response: { ...echo, status: 'completed', output: [], usage } },
      ];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(sse(events));
    });
    const { post, ended } = await open();
    const tools = [{ type: 'function', function: { name: 'wide', parameters: { type: 'object', properties } } }];
    const body = { model: 'openai/gpt-5.4', stream: true, messages: hello, tools };
    const text = await (await post('/v1/chat/completions', body)).text();
    expect(upstream.calls[0]?.path).toBe('/v1/responses');
    expect(text).toContain('All of it.');
    expect(await ended()).toMatchObject({ status: 'succeeded', completion_tokens: 3_000, estimated: false });
  });
});

const paths = ['/v1/chat/completions', '/v1/responses', '/v1/messages', '/chat'] as const;
const bodyFor = (path: (typeof paths)[number]) =>
  path === '/v1/responses'
    ? { input: 'hello' }
    : path === '/chat'
      ? { prompt: 'hello' }
      : { messages: hello, ...(path === '/v1/messages' ? { max_tokens: 1_000 } : {}) };

const begun = sse(Array.from({ length: 40 }, () => chunk({ delta: { content: 'some words ' } })));
const deep = `data: {"choices":[{"index":0,"delta":{"content":${'['.repeat(70)}${']'.repeat(70)}}}],"pad":"${'x'.repeat(20_000)}"}\n\n`;

/** How an answer ends, who caused it, and whether a caller who got nothing of it pays. */
const ends: readonly (readonly [string, Reply, { readonly delivers: boolean; readonly byUs: boolean }])[] = [
  ['a refusal before its first word', errorReply(500, {}), { delivers: false, byUs: false }],
  ['a connection that breaks before its first word', brokenReply(': waiting\n\n'), { delivers: false, byUs: false }],
  ['a connection that breaks after content', brokenReply(begun), { delivers: true, byUs: false }],
  [
    'an event that is no JSON after content',
    streamReply(`${begun}data: {nonsense\n\n`),
    { delivers: true, byUs: false },
  ],
  [
    'an error event after content',
    streamReply(`${begun}data: {"error":{"message":"no"}}\n\n`),
    { delivers: true, byUs: false },
  ],
  ['an event beyond what we read after content', streamReply(begun + deep), { delivers: true, byUs: true }],
];

describe.each(paths)('what is charged by %s', (path) => {
  let shown = 0;
  test.each(ends)('for %s', async (_end, reply, { delivers, byUs }) => {
    upstream.replyWith(reply);
    const { post, ended, ledgerIsExact } = await open();
    for (const stream of [true, false]) {
      await (await post(path, { model: 'openai/gpt-4.1', ...bodyFor(path), stream })).text();
      const record = await ended();
      expect(record.status).toBe('failed');
      // The client of a non-streaming answer gets nothing when it breaks off.
      const pays = delivers && (stream || byUs);
      expect({ stream, charged: parseUsd(record.cost_usd) > 0n }).toEqual({ stream, charged: pays });
      if (pays) expect(record.estimated).toBe(true);
    }
    await ledgerIsExact();
    shown += 1;
    if (shown === ends.length) figure('origin of errors', `${path}: ${shown} ends, streamed and whole`);
  });
});

test.each(['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE', 'NO_IMAGE'])(
  'an answer of Google that ends with %s after its text costs what was counted',
  async (finishReason) => {
    const usageMetadata = { promptTokenCount: 1_000, candidatesTokenCount: 2_000, totalTokenCount: 3_000 };
    const content = { role: 'model', parts: [{ text: 'All of the text.' }] };
    upstream.replyWith(
      streamReply(
        sse([
          { candidates: [{ content, index: 0 }], usageMetadata },
          { candidates: [{ finishReason, index: 0 }], usageMetadata },
        ]),
      ),
    );
    const { post, ended } = await open();
    const body = { model: 'google/gemini-2.5-flash', stream: true, messages: hello };
    expect(await (await post('/v1/chat/completions', body)).text()).toContain('All of the text.');
    const record = await ended();
    expect(record).toMatchObject({ prompt_tokens: 1_000, completion_tokens: 2_000 });
    expect(parseUsd(record.cost_usd)).toBeGreaterThan(0n);
  },
);

test('failures of one account never close a model to other accounts', async () => {
  upstream.replyWith(brokenReply(begun));
  const { gateway, post } = await open();
  const other = await gateway.operator.createAccount({ name: 'Other' });
  await gateway.operator.grant({ accountId: other.id, amount: parseUsd('10') });
  const { key } = await gateway.operator.createKey({ accountId: other.id });
  const only = ['openai/gpt-4.1'];
  const routed = { provider: 'router', route: { only }, messages: hello };
  for (let count = 0; count < 8; count += 1)
    await (await post('/v1/chat/completions', { model: only[0], messages: hello, stream: true })).text();
  upstream.replyWith(tokensReply(3));
  const answer = await post('/v1/chat/completions', routed, { headers: { authorization: `Bearer ${key}` } });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('word')]);
  // The account itself may not use the model for half a minute.
  expect((await post('/v1/chat/completions', routed)).status).toBe(503);
});
