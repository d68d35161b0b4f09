import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { errorCode, openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../../../tests/gateway-doubles/recorded-streams.ts';
import { byProvider, openThreeProviders, type ThreeProviders } from '../../../tests/gateway-doubles/three-providers.ts';
import { streamReply, type Upstream } from '../../../tests/gateway-doubles/upstream-server.ts';
import { listen } from '../../http/listen.ts';

const echo = { model: 'sandbox/echo', messages: [{ role: 'user', content: 'hi' }] };
const keys = (count: number, from = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`own_${from + index}`, 0]));
const long = 'ein langer Satz, größer als jede Schwelle. '.repeat(4_000);

describe('a body at the limits', () => {
  const routes = [
    { path: '/v1/chat/completions', method: 'POST', body: echo },
    { path: '/chat', method: 'POST', body: { model: 'sandbox/echo', prompt: 'hi' } },
    { path: '/v1/quote', method: 'POST', body: echo },
    { path: '/v1/keys', method: 'POST', body: { label: 'more' } },
    { path: '/v1/keys/key_0', method: 'PATCH', body: { label: 'more' } },
  ];

  test('a body at the limits is accepted on every route, and refused with one key, item or value more', async () => {
    const { post } = await openTestGateway({ plan: 'enterprise' });
    const getCode = async (path: string, body: object, method = 'POST') => {
      const response = await post(path, body, { method });
      return response.ok ? 'ok' : errorCode(response);
    };
    for (const { path, method, body } of routes) {
      const own = 10_000 - Object.keys(body).length;
      expect(await getCode(path, { ...body, ...keys(own) }, method)).toBe(method === 'PATCH' ? 'key_not_found' : 'ok');
      expect(await getCode(path, { ...body, ...keys(own + 1) }, method)).toBe('invalid_json');
    }
    const withOwn = (own: unknown) => getCode('/v1/quote', { ...echo, own });
    expect(await withOwn([keys(5_000), keys(4_999, 5_000)])).toBe('ok');
    expect(await withOwn([keys(5_000), keys(5_000, 5_000)])).toBe('invalid_json');
    expect(await withOwn(Array(10_000).fill(0))).toBe('ok');
    expect(await withOwn(Array(10_001).fill(0))).toBe('invalid_json');
    expect(await withOwn(Array(50).fill(Array(4_990).fill(0)))).toBe('ok');
    expect(await withOwn(Array(51).fill(Array(4_990).fill(0)))).toBe('invalid_json');
  });

  test('a body may have as many messages, parts and tools as the contract allows', async () => {
    const { post } = await openTestGateway({ plan: 'enterprise' });
    const content = Array.from({ length: 20 }, () => ({ type: 'text', text: 'x' }));
    const messages = Array.from({ length: 2_048 }, () => ({ role: 'user', content }));
    const properties = Object.fromEntries(
      Array.from({ length: 70 }, (_, index) => [`field_${index}`, { type: 'string', description: 'x' }]),
    );
    const tools = Array.from({ length: 128 }, (_, index) => ({
      type: 'function',
      function: { name: `tool_${index}`, parameters: { type: 'object', properties, required: ['field_0'] } },
    }));
    const many = await post('/v1/chat/completions', { model: 'sandbox/echo', messages });
    expect([many.status, many.ok || (await errorCode(many))]).toEqual([200, true]);
    const described = await post('/v1/quote', { ...echo, model: 'sandbox/tools', tools });
    expect(described.status).toBe(200);
  });

  test('warnings and errors quote a large body briefly: fields beyond twenty are counted and long names are cut', async () => {
    const { post } = await openTestGateway({ plan: 'enterprise' });
    const name = 'x'.repeat(1_000_000);
    const many = await post('/v1/chat/completions', { ...echo, ...keys(9_000) });
    const { warnings } = (await many.json()) as { warnings: { message: string }[] };
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)?.message).toMatch(/8980 more/);
    expect(many.headers.get('x-portico-warnings')?.length).toBeLessThan(2_001);
    const odd = [
      await post('/v1/chat/completions', { ...echo, [name]: 1 }),
      await post('/v1/chat/completions', { ...echo, [name]: 1 }, { headers: { 'x-portico-strict': '1' } }),
      await post('/v1/chat/completions', { ...echo, metadata: { [name]: 1 } }),
      await post('/v1/chat/completions', { ...echo, messages: [{ role: name, content: 'hi' }] }),
      await post('/v1/chat/completions', { ...echo, provider: name }),
      await post('/v1/keys', { [name]: 1 }),
    ];
    expect(odd.map(({ status }) => status)).toEqual([200, 400, 400, 400, 400, 201]);
    for (const response of odd) {
      const headers = [...response.headers].join();
      expect(headers.length + (await response.text()).length).toBeLessThan(8_000);
    }
  });
});

describe('a large request', () => {
  let upstream: Upstream;
  let open: ThreeProviders['open'];
  let close: ThreeProviders['close'];
  beforeEach(async () => {
    ({ upstream, open, close } = await openThreeProviders());
    const { openai, anthropic, google } = recordedStreams;
    const stream = (events: readonly string[]) => streamReply(events.join(''));
    upstream.replyWith(byProvider({ openai: stream(openai), anthropic: stream(anthropic), google: stream(google) }));
  });
  afterEach(() => close());

  const png = `data:image/png;base64,${Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(90)]).toString('base64')}`;
  const request = (text: string) => ({
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text },
          { type: 'image_url', image_url: { url: png } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":[1,2]}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"seen":true}' },
    ],
    tools: [
      { type: 'function', function: { name: 'look', description: 'Looks', parameters: { type: 'object' } } },
      { type: 'function', function: { name: 'hear', parameters: { type: 'object', properties: {} } } },
    ],
    tool_choice: { type: 'function', function: { name: 'look' } },
    response_format: { type: 'json_schema', json_schema: { name: 'seen', schema: { type: 'object' } } },
    max_tokens: 50,
    temperature: 1.5,
    user: 'u1',
    seed: 7,
    stop: ['END'],
    logit_bias: { 5: 1 },
  });

  test.each(['openai/gpt-x', 'anthropic/claude-x', 'google/gemini-x'])(
    'a large request reaches %s like a small one, with the same warnings and cost',
    async (model) => {
      const bench = await open();
      const answerTo = async (text: string) => {
        const response = await bench.post('/v1/chat/completions', { model, ...request(text) });
        const { id: _id, created: _created, ...answer } = (await response.json()) as Record<string, unknown>;
        expect(response.status, JSON.stringify(answer)).toBe(200);
        const sent = JSON.stringify(upstream.calls.at(-1)?.body).replaceAll(text, 'TEXT');
        const timeless = JSON.stringify(answer).replace(/"latency_ms":\d+/g, '');
        return { sent, timeless, warnings: response.headers.get('x-portico-warnings') };
      };
      const small = await answerTo('short');
      expect(await answerTo(long)).toEqual(small);
      expect(small.sent).toContain('TEXT');
    },
  );

  test('a large request in the prompt form is answered like any other', async () => {
    const { post } = await openTestGateway({ plan: 'enterprise' });
    const response = await post('/chat', { model: 'sandbox/echo', prompt: long, max_tokens: 3 });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ finish_reason: 'length' });
    const quoted = await post('/v1/quote', { model: 'sandbox/echo', prompt: long });
    expect(quoted.status).toBe(200);
  });

  test('an invalid large request is refused with the same code and param as a small one', async () => {
    const { post } = await openTestGateway({ plan: 'enterprise' });
    const codes = async (more: object) => {
      const response = await post('/v1/chat/completions', { ...echo, ...more, own: long });
      const { error } = (await response.json()) as { error: { code: string; param: string | null } };
      return [response.status, error.code, error.param];
    };
    expect(await codes({ temperature: 3 })).toEqual([400, 'invalid_value', 'temperature']);
    expect(await codes({ n: 2 })).toEqual([400, 'unsupported_value', 'n']);
    expect(await codes({ messages: [{ role: 'x', content: 'y' }] })).toEqual([400, 'invalid_role', 'messages[0].role']);
  });

  test('a large request is recognized by its Idempotency-Key when it is formatted differently, and distinguished from another one', async () => {
    const { post } = await openTestGateway({ plan: 'enterprise' });
    const body = { model: 'sandbox/echo', prompt: long, max_tokens: 3 };
    const headers = { 'idempotency-key': 'one' };
    const first = await post('/chat', body, { headers });
    const { text } = (await first.json()) as { text: string };
    const again = await post('/chat', undefined, { headers, body: JSON.stringify(body, null, 4) });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.json()).toMatchObject({ text });
    expect(await errorCode(await post('/chat', { ...body, prompt: `${long}!` }, { headers }))).toBe(
      'idempotency_key_reused',
    );
  });

  test('a large request is refused while memory is full, and accepted again after others were answered, refused or disconnected', async () => {
    const { post, gateway, key } = await openTestGateway({ plan: 'enterprise', workLimits: { bodies: 300_000 } });
    const body = { model: 'sandbox/echo', prompt: long, max_tokens: 3 };
    const full = await post('/chat', { ...body, prompt: long.repeat(3) });
    expect([full.status, await errorCode(full)]).toEqual([503, 'server_overloaded']);
    expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const change of [{}, { temperature: 9 }, { stream: true }, { model: 'none' }, {}]) {
      await (await post('/chat', { ...body, ...change })).text();
    }
    const server = await listen(gateway, { port: 0 });
    const leaving = new AbortController();
    const pending = fetch(`${server.url}/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, stream: true, model: 'sandbox/slow' }),
      signal: leaving.signal,
    });
    await (await pending).body?.getReader().read();
    leaving.abort();
    await expect.poll(async () => (await post('/chat', body)).status).toBe(200);
    await server.close();
  });
});
