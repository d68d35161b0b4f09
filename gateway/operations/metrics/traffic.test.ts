import { expect, onTestFinished, test } from 'vitest';
import { openTestGateway, type TestGatewayOptions } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import {
  brokenReply,
  errorReply,
  openUpstream,
  type Reply,
  streamReply,
} from '../../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../../access/auth/secret.ts';
import { listen } from '../../http/listen.ts';

const frame = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const words = frame({ choices: [{ index: 0, delta: { content: 'CANARY-answer' } }] });
const ending = [
  frame({
    choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
    usage: { prompt_tokens: 11, completion_tokens: 7 },
  }),
  'data: [DONE]\n\n',
].join('');
const good = streamReply(words + ending);
const model = 'openai-compatible/served';

/** Opens a gateway on a port, with an upstream whose answers the test sets. */
async function open(options: TestGatewayOptions = {}) {
  const upstream = await openUpstream(good);
  onTestFinished(() => upstream.close());
  const served: Reply = (call, response) =>
    call.path.endsWith('/models')
      ? void response.setHeader('content-type', 'application/json').end('{"data":[{"id":"served"}]}')
      : reply(call, response);
  let reply: Reply = good;
  upstream.replyWith(served);
  const credential = { apiKey: new Secret('CANARY-platform-key'), baseUrl: `${upstream.origin}/v1` };
  const opened = await openTestGateway({ providers: { 'openai-compatible': credential }, ...options });
  const server = await listen(opened.gateway, { port: 0 });
  onTestFinished(() => server.close());
  const known = async () => (await (await opened.call(`/v1/models/${model}`)).json()) as { id?: string };
  await expect.poll(known).toMatchObject({ id: model });
  const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${opened.key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const lines = () => opened.entries.filter(({ event }) => event === 'request');
  return {
    ...opened,
    url: server.url,
    send,
    lines,
    replyWith(next: Reply) {
      reply = next;
    },
    /** Waits for the log line of an answer that was read to its end. */
    async getLine(response: Response) {
      await response.text().catch(() => '');
      const id = response.headers.get('x-request-id');
      await expect.poll(() => lines().filter((line) => line.request_id === id).length).toBe(1);
      return lines().find((line) => line.request_id === id);
    },
  };
}

test('with logsAll off, a successful request has no log line but counts in the metrics, and a refused one has a line', async () => {
  const { send, lines, getLine, gateway } = await open({ logsAll: false });
  expect((await send('/chat', { model, prompt: 'hello' })).status).toBe(200);
  const refused = await getLine(await send('/chat', { model: 'openai-compatible/unknown', prompt: 'hello' }));
  expect(refused).toMatchObject({ level: 'warn', status: 404, code: 'model_not_found' });
  expect(lines()).toEqual([refused]);
  for (const status of [200, 404]) {
    expect(gateway.metrics()).toContain(`portico_requests_total{method="POST",route="/chat",status="${status}"} 1\n`);
  }
});

test('a chat has one log line with provider, model, times and cost, streamed or not', async () => {
  const { send, getLine, account, keyId } = await open();
  const expected = {
    level: 'info',
    method: 'POST',
    status: 200,
    outcome: 'succeeded',
    account_id: account.id,
    key_id: keyId,
    provider: 'openai-compatible',
    model: 'served',
    attempts: 1,
    prompt_tokens: 11,
    completion_tokens: 7,
    cost_usd: expect.any(String),
    first_token_ms: expect.any(Number),
    total_ms: expect.any(Number),
  };
  expect(await getLine(await send('/chat', { model, prompt: 'a' }))).toMatchObject({ ...expected, route: '/chat' });
  const streamed = await send('/v1/chat/completions', {
    model,
    stream: true,
    messages: [{ role: 'user', content: 'a' }],
  });
  expect(await getLine(streamed)).toMatchObject({ ...expected, route: '/v1/chat/completions' });
});

test('a failure is logged with its code, even when the answer had begun', async () => {
  const { send, getLine, replyWith } = await open();
  replyWith(brokenReply(words));
  const cut = await getLine(await send('/chat', { model, prompt: 'a', stream: true }));
  expect(cut).toMatchObject({
    level: 'error',
    status: 200,
    outcome: 'failed',
    code: expect.stringMatching(/^upstream_/),
  });
  const refused = await getLine(await send('/chat', { model: 'nowhere/x', prompt: 'a' }));
  expect(refused).toMatchObject({ level: 'warn', status: 404, code: 'model_not_found' });
});

test('the log contains no text and no key, whatever hostile callers or upstreams send', async () => {
  const { send, lines, getLine, entries, key, replyWith, url } = await open();
  const canary = 'CANARY-word';
  const messages = [{ role: 'user', content: canary }];
  const chat = '/v1/chat/completions';
  const requests: [string, unknown, Record<string, string>?][] = [
    [
      '/chat',
      { model, prompt: canary, system: canary, user: canary, metadata: { [canary]: canary }, session_id: canary },
    ],
    ['/chat', { model, prompt: canary, stream: true, [canary]: canary }],
    [chat, { model, messages, tools: [{ type: 'function', function: { name: canary, parameters: { [canary]: 1 } } }] }],
    [chat, { model, messages: [{ role: canary, content: canary }] }],
    [
      chat,
      { model, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: `data:${canary}` } }] }] },
    ],
    ['/chat', { model: canary, provider: canary, prompt: canary }],
    ['/chat', { model, prompt: canary, byoapi_key: 'CANARY-byo-key-1234' }],
    ['/chat', { model, prompt: `${canary}\u0000`, user: `${canary}\u0000`, metadata: { a: '\u0000\ud800' } }],
    ['/chat', `{"prompt": "${canary}`],
    ['/chat', { model, prompt: canary }, { authorization: 'Bearer sk-portico-CANARY-key' }],
    ['/chat', { model, prompt: canary }, { authorization: `CANARY ${key}` }],
    ['/chat', { model, prompt: canary }, { 'idempotency-key': canary, 'content-type': `text/${canary}` }],
    [`/${canary}?key=${key}`, {}],
    [`/v1/models/${canary}`, {}],
    ['/v1/keys', { label: `${canary}\u0000` }],
    ['/v1/requests?model=%00', {}],
  ];
  const replies = [good, errorReply(500, { error: { message: `CANARY-echo ${key}` } }), brokenReply(words)];
  let sent = 0;
  for (const reply of [...replies, errorReply(401, { error: { message: 'CANARY-platform-key is wrong' } })]) {
    replyWith(reply);
    for (const [path, body, headers] of requests) {
      const response = await send(path, body, headers);
      expect(response.status, `${path} ${JSON.stringify(body)}`).not.toBe(500);
      await getLine(response);
      sent += 1;
    }
  }
  await getLine(await fetch(`${url}/account?${canary}`, { headers: { authorization: `ApiKey ${key}` } }));
  expect(lines().filter(({ method }) => method === 'POST')).toHaveLength(sent);
  const log = JSON.stringify(entries);
  expect(log).not.toMatch(/CANARY/i);
  expect(log).not.toContain(key);
  expect(log).not.toContain(key.slice(-20));
});

test('the metrics equal what was requested, in a text that Prometheus can parse', async () => {
  const { send, getLine, gateway, call, replyWith } = await open();
  for (let index = 0; index < 3; index += 1) await getLine(await send('/chat', { model, prompt: 'a' }));
  replyWith(errorReply(500, {}));
  await getLine(await send('/chat', { model, prompt: 'a' }));
  await call('/nowhere');
  const text = gateway.metrics();
  const lines = text.trimEnd().split('\n');
  for (const line of lines) {
    expect(line).toMatch(/^(# (HELP|TYPE) [a-z0-9_]+ .+|[a-z0-9_]+(\{([a-z_]+="[^"]*",?)+\})? (-?[0-9.e+-]+|NaN))$/);
  }
  const names = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]);
  expect(new Set(names).size).toBe(names.length);
  const who = 'provider="openai-compatible",model="served"';
  for (const line of [
    'portico_requests_total{method="POST",route="/chat",status="200"} 3',
    'portico_requests_total{method="POST",route="/chat",status="502"} 1',
    'portico_requests_total{method="GET",route="none",status="404"} 1',
    'portico_errors_total{code="upstream_error"} 1',
    `portico_answers_total{${who},status="succeeded"} 3`,
    `portico_answers_total{${who},status="failed"} 1`,
    `portico_tokens_total{${who},kind="completion"} 21`,
    `portico_answer_seconds_count{${who}} 4`,
    `portico_first_token_seconds_bucket{${who},le="+Inf"} 3`,
    'portico_open_holds 0',
    'portico_open_streams 0',
    `portico_circuit_open{model="${model}"} 0`,
  ]) {
    expect(lines).toContain(line);
  }
});
