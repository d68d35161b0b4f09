import { expect, onTestFinished, test } from 'vitest';
import { errorCode, openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../../tests/gateway-doubles/recorded-streams.ts';
import {
  brokenReply,
  errorReply,
  openUpstream,
  type Reply,
  streamReply,
} from '../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../access/auth/secret.ts';
import { Stop } from '../runtime/concurrency/stop-signal.ts';
import { createKeyOrder } from './key-order.ts';

const good = streamReply(recordedStreams.openai.join(''));
const refused = errorReply(401, { error: { message: 'no' } });
const forbidden = errorReply(403, { error: { message: 'no' } });
const unpaid = errorReply(402, { error: { message: 'no' } });
const empty = errorReply(429, { error: { code: 'insufficient_quota', message: 'no' } });
const limited = errorReply(429, { error: { message: 'no' } }, { 'retry-after': '30' });
const down = errorReply(500, { error: { message: 'no' } });
const body = { model: 'openai/gpt-5.4-mini', messages: [{ role: 'user', content: 'hi' }] };

/** Opens a gateway with three keys for OpenAI. `replies` has the answer to each key. */
async function open(replies: Record<string, Reply>) {
  const getKey = (authorization = '') => authorization.replace('Bearer key-of-', '');
  const upstream = await openUpstream((call, response) =>
    (replies[getKey(call.headers.authorization)] ?? down)(call, response),
  );
  onTestFinished(upstream.close);
  const keys = ['first', 'second', 'third'].map((label) => ({ label, secret: new Secret(`key-of-${label}`) }));
  const credential = { apiKey: keys[0]?.secret ?? null, keys, baseUrl: `${upstream.origin}/v1` };
  const opened = await openTestGateway({ plan: 'local', providers: { openai: credential } });
  const ask = () => opened.post('/v1/chat/completions', body);
  const asked = () => upstream.calls.splice(0).map(({ headers }) => getKey(headers.authorization));
  const states = () => opened.gateway.keyStates('openai').map(({ state }) => state);
  return { ...opened, replies, ask, asked, states, keys, credential };
}

test.each([
  ['refused', 'refused', refused, 300_000],
  ['forbidden', 'refused', forbidden, 300_000],
  ['unpaid', 'empty', unpaid, 300_000],
  ['without quota', 'empty', empty, 300_000],
  ['rate-limited', 'rate_limited', limited, 30_000],
] as const)('when a key is %s, the next key answers and goes first until the wait is over', async (...given) => {
  const [, state, reply, waitMs] = given;
  const { ask, asked, states, entries, pass, replies } = await open({ first: reply, second: good });
  expect([(await ask()).status, asked()]).toEqual([200, ['first', 'second']]);
  expect([(await ask()).status, asked()]).toEqual([200, ['second']]);
  expect(states()).toEqual([state, 'ready', 'ready']);
  pass(waitMs);
  expect([(await ask()).status, asked()]).toEqual([200, ['first', 'second']]);
  pass(waitMs);
  replies.first = good;
  expect([(await ask()).status, asked()]).toEqual([200, ['first']]);
  const logged = entries.filter(({ event }) => String(event).startsWith('provider_key'));
  expect(logged).toEqual([
    { event: 'provider_key_set_aside', provider: 'openai', key: 'first', ends: 'st', trouble: state },
    { event: 'provider_key_recovered', provider: 'openai', key: 'first', ends: 'st' },
  ]);
  expect(JSON.stringify(entries)).not.toContain('key-of');
});

test('when no key works, the mildest failure is reported and each further request tries one key only', async () => {
  const { ask, asked, states } = await open({ first: refused, second: limited, third: empty });
  const response = await ask();
  expect([response.status, response.headers.get('retry-after'), await errorCode(response)]).toEqual([
    ...[429, '30', 'upstream_rate_limited'],
  ]);
  expect([asked(), states()]).toEqual([
    ['first', 'second', 'third'],
    ['refused', 'rate_limited', 'empty'],
  ]);
  await ask();
  expect(asked()).toEqual(['second']);
});

test.each([
  ['a fault of the server', down, 502],
  ['a refusal of the request', errorReply(400, { error: { message: 'no' } }), 400],
] as const)('%s is no reason to try another key', async (_what, reply, status) => {
  const { ask, asked, states } = await open({ first: reply, second: good });
  expect([(await ask()).status, asked(), states()]).toEqual([status, ['first'], ['ready', 'ready', 'ready']]);
});

test('an answer that has begun is not started again with another key', async () => {
  const [start = ''] = recordedStreams.openai;
  const late = `${start}data: {"error":{"message":"no","code":"rate_limit_exceeded"}}\n\n`;
  const { ask, asked } = await open({ first: brokenReply(late), second: good });
  await ask();
  expect(asked()).toEqual(['first']);
});

test('an adapter gets the same credential object for a key each time', async () => {
  const log = () => {};
  const { withKeys } = createKeyOrder({ now: () => 0, log });
  const seen: unknown[] = [];
  const provider = withKeys({
    id: 'openai',
    name: 'OpenAI',
    models: async () => [],
    chat: async (_request, { credential }) => void seen.push(credential),
  });
  const keys = ['a', 'b'].map((label) => ({ label, secret: new Secret(label) }));
  const credential = { apiKey: null, baseUrl: '', keys };
  const context = { credential, signal: new Stop(), fetch: async () => Promise.reject(new Error('nobody')) };
  for (let times = 0; times < 2; times += 1) await provider.chat({} as never, context, () => undefined);
  expect(seen[0]).toBe(seen[1]);
});

test("a request with the caller's own key uses no other key", async () => {
  const { post, asked } = await open({ second: good, third: good });
  await post('/v1/chat/completions', { ...body, byoapi_key: 'key-of-caller' });
  expect(new Set(asked())).toEqual(new Set(['caller']));
});

test('a successful check ends the wait of a key', async () => {
  const { ask, asked, states, gateway, keys, credential, replies } = await open({ first: refused, second: good });
  await ask();
  replies.first = errorReply(200, { data: [] });
  await gateway.checkProvider('openai', { ...credential, apiKey: keys[0]?.secret ?? null, keys: [] });
  expect(states()).toEqual(['ready', 'ready', 'ready']);
  asked();
  await ask();
  expect(asked()[0]).toBe('first');
});
