import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { completionResponse } from '#shared/wire/chat-response.ts';
import { requestList } from '#shared/wire/request-record.ts';
import { openTestGateway, type TestGatewayOptions } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedNonStreamingResponse } from '../../tests/gateway-doubles/recorded-responses.ts';
import { errorReply, openUpstream, type Reply } from '../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../access/auth/secret.ts';
import { listen } from '../http/listen.ts';

/** The gateway requests a non-streaming answer from the upstream when the client waits for one (docs/decisions/043). */

const usage = { prompt_tokens: 9, completion_tokens: 7, total_tokens: 16 };
const calls = [{ id: 'call_1', type: 'function', function: { name: 'find', arguments: '{"a":1}' } }];
const message = {
  role: 'assistant',
  content: 'Hello world',
  reasoning_content: 'Hm.',
  refusal: null,
  tool_calls: calls,
};
const completion = {
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
  usage,
};
const chunk = (delta: object, reason: string | null, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: reason }], ...more })}\n\n`;
const parts = [
  chunk({ role: 'assistant', reasoning_content: 'Hm.' }, null),
  ...['Hel', 'lo wor', 'ld'].map((content) => chunk({ content }, null)),
  chunk({ tool_calls: [{ ...calls[0], index: 0 }] }, null),
  chunk({}, 'tool_calls', { usage }),
  'data: [DONE]\n\n',
];

const answerAtOnce: Reply = (_call, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(completion));
};
const answerAsStream: Reply = (_call, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(parts.join(''));
};
/** Streams when it is asked to, as vendors do. */
const answerAsAsked: Reply = (call, response) =>
  call.body.stream ? answerAsStream(call, response) : answerAtOnce(call, response);

async function open(reply: Reply, options: TestGatewayOptions = {}) {
  const upstream = await openUpstream(reply);
  onTestFinished(upstream.close);
  const credential = { apiKey: new Secret('sk-upstream'), baseUrl: `${upstream.origin}/v1` };
  const opened = await openTestGateway({ providers: { openai: credential }, ...options });
  const record = async () => requestList.parse(await (await opened.call('/v1/requests')).json()).data[0];
  return { ...opened, upstream, record };
}

const body = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] };
const path = '/v1/chat/completions';

test('a non-streaming answer is requested as one, and has the same text and cost as a stream', async () => {
  const { post, upstream, record } = await open(answerAsAsked);
  const answer = completionResponse.parse(await (await post(path, body)).json());
  const stored = await record();
  expect(upstream.calls[0]?.body).toMatchObject({ stream: false });
  expect(upstream.calls[0]?.body).not.toHaveProperty('stream_options');
  upstream.replyWith(answerAsStream);
  const slow = completionResponse.parse(await (await post(path, body)).json());
  expect(upstream.calls[1]?.body).toMatchObject({ stream: false });
  const same = ({ choices, usage: counted, provider, model, warnings }: typeof answer) => ({
    choices,
    usage: counted,
    provider,
    model,
    warnings,
  });
  expect(same(answer)).toEqual(same(slow));
  expect(answer.choices[0]?.message).toMatchObject({
    content: 'Hello world',
    reasoning_content: 'Hm.',
    tool_calls: calls,
  });
  const again = await record();
  expect(again).toMatchObject({
    cost_usd: stored?.cost_usd,
    prompt_tokens: 9,
    completion_tokens: 7,
    status: 'succeeded',
  });
});

test('a non-streaming answer of a model with the Responses API is requested as one, too', async () => {
  const { post, upstream, record } = await open(errorReply(200, recordedNonStreamingResponse));
  const asked = { ...body, model: 'openai/gpt-6-sol', tools: [{ type: 'function', function: { name: 'one' } }] };
  const answer = completionResponse.parse(await (await post(path, asked)).json());
  expect(upstream.calls.map(({ path: sentTo, body: sent }) => [sentTo, sent.stream])).toEqual([
    ['/v1/responses', false],
  ]);
  expect(answer.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: { content: 'Grüße, 世界 👋', reasoning_content: 'Hm.' },
  });
  // 12 uncached and 8 cached input tokens and 11 output tokens, at the price book's prices.
  expect(await record()).toMatchObject({
    prompt_tokens: 20,
    cached_tokens: 8,
    completion_tokens: 11,
    cost_usd: '0.0001356',
  });
});

test.each([
  ['has no Responses API', { detail: 'Not Found' }, /no Responses API/],
  ['does not know the model', { error: { code: 'model_not_found', message: 'x' } }, /does not know this model/],
])('the error explains that a server in OpenAI’s place %s', async (_what, errorSent, words) => {
  const { post } = await open(errorReply(404, errorSent));
  const answer = await post(path, { ...body, model: 'openai/gpt-6-sol', reasoning_effort: 'low' });
  expect(answer.status).toBe(502);
  expect((await answer.json()).error).toMatchObject({ code: 'upstream_error', message: expect.stringMatching(words) });
});

test.each([
  ['asked for a stream', { ...body, stream: true }, {}],
  ['has a balance that does not cover the longest answer', body, { balance: '0.005' }],
  [
    'lets the router choose, which may ask another model',
    { messages: body.messages, route: { only: ['openai/*'] } },
    {},
  ],
] as const)('the upstream is asked for a stream when the client %s', async (_who, asked, options) => {
  const { post, upstream } = await open(answerAsAsked, options);
  const response = await post(path, asked);
  expect(response.status).toBe(200);
  await response.text();
  expect(upstream.calls[0]?.body).toMatchObject({ stream: true });
});

test('a balance that covers the longest allowed answer is enough to request it as non-streaming', async () => {
  const { post, upstream } = await open(answerAsAsked, { balance: '0.005' });
  expect((await post(path, { ...body, max_tokens: 100 })).status).toBe(200);
  expect(upstream.calls[0]?.body).toMatchObject({ stream: false, max_completion_tokens: 100 });
});

/** Sends a request and disconnects once the provider was called. The provider waits for `answer`. */
async function askAndDisconnect(onDisconnect: 'abort' | 'drain') {
  const asked = Promise.withResolvers<void>();
  const disconnected = Promise.withResolvers<void>();
  const opened = await open(async (call, response) => {
    asked.resolve();
    await disconnected.promise;
    await answerAsAsked(call, response);
  });
  const apiKey = new Secret('sk-upstream');
  opened.gateway.setProvider('openai', { apiKey, baseUrl: `${opened.upstream.origin}/v1`, onDisconnect });
  const server = await listen(opened.gateway, { port: 0 });
  onTestFinished(server.close);
  const client = connect(server.port, '127.0.0.1');
  await once(client, 'connect');
  const text = JSON.stringify(body);
  client.write(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${opened.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
  await asked.promise;
  client.destroy();
  return { ...opened, answer: disconnected.resolve };
}

test('a client that disconnects aborts the upstream and pays nothing, and its account’s upstream calls are streamed for an hour', async () => {
  const { record, upstream, post, pass, answer } = await askAndDisconnect('abort');
  await upstream.calls[0]?.closed;
  await expect.poll(async () => (await record())?.status).toBe('cancelled');
  expect(await record()).toMatchObject({ cost_usd: '0' });
  answer();
  expect((await post(path, body)).status).toBe(200);
  expect(upstream.calls[1]?.body).toMatchObject({ stream: true });
  pass(3_600_001);
  expect((await post(path, body)).status).toBe(200);
  expect(upstream.calls[2]?.body).toMatchObject({ stream: false });
});

test('an answer that its provider charges anyway is read to its end and charged when the client disconnects', async () => {
  const { record, gateway, answer } = await askAndDisconnect('drain');
  answer();
  await expect.poll(async () => (await record())?.status).toBe('succeeded');
  expect(await record()).toMatchObject({ completion_tokens: 7, estimated: false });
  const { checks } = await gateway.operator.checkLedger();
  expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
});

test('when a client disconnects from many answers at once, the first is free, and the others are read to their end and charged', async () => {
  const release = Promise.withResolvers<void>();
  const { post, upstream, call, gateway } = await open(
    async (asked, response) => {
      await release.promise;
      await answerAsAsked(asked, response);
    },
    { plan: 'enterprise' },
  );
  const abort = new AbortController();
  const answers = Array.from({ length: 40 }, () => post(path, body, { signal: abort.signal }).catch(() => null));
  await expect.poll(() => upstream.calls.length).toBe(40);
  abort.abort();
  await Promise.all(answers);
  release.resolve();
  const records = async () => requestList.parse(await (await call('/v1/requests?limit=100')).json()).data;
  await expect.poll(async () => (await records()).map(({ status }) => status)).not.toContain('running');
  const all = await records();
  expect(all.filter(({ cost_usd: cost }) => cost === '0').map(({ status }) => status)).toEqual(['cancelled']);
  expect(all.filter(({ status }) => status === 'succeeded')).toHaveLength(39);
  const { checks } = await gateway.operator.checkLedger();
  expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
});

test.each([
  ['a body that is not JSON', 'application/json', '{"choices":[', 'upstream_bad_response'],
  ['JSON that is no answer', 'application/json', '[1,2]', 'upstream_truncated'],
  [
    'an error with status 200',
    'application/json',
    '{"error":{"message":"overloaded","code":529}}',
    'upstream_overloaded',
  ],
])('%s is an error, and costs nothing', async (_what, type, text, code) => {
  const { post, record } = await open((_call, response) => {
    response.writeHead(200, { 'content-type': type });
    response.end(text);
  });
  const response = await post(path, body);
  expect(await response.json()).toMatchObject({ error: { code } });
  expect(await record()).toMatchObject({ status: 'failed', cost_usd: '0' });
});
