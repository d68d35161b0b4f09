import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { errorCode, openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../../../tests/gateway-doubles/recorded-streams.ts';
import {
  errorReply,
  openUpstream,
  type Reply,
  streamReply,
  type Upstream,
} from '../../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../../access/auth/secret.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await openUpstream(streamReply(''));
});
afterAll(() => upstream.close());
beforeEach(() => {
  upstream.calls.length = 0;
});

const model = 'openai/gpt-5.4-mini';
const chat = { messages: [{ role: 'user', content: 'hi' }] };
const good = streamReply(recordedStreams.openai.join(''));
const google = streamReply(recordedStreams.google.join(''));
/** OpenAI answers with `reply`, and Google always succeeds. */
const openaiAnswers = (reply: Reply) =>
  upstream.replyWith((call, response) => (call.path.startsWith('/v1/') ? reply : google)(call, response));

async function open() {
  const apiKey = new Secret('platform-key');
  const credential = { apiKey, baseUrl: `${upstream.origin}/v1` };
  const gateway = await openTestGateway({
    plan: 'local',
    providers: { openai: credential, google: { apiKey, baseUrl: upstream.origin } },
  });
  const ready = async () => (await gateway.call('/readyz', { key: null })).json();
  const getStatus = async (id: string) => (await (await gateway.call(`/v1/models/${id}`)).json()).status;
  const events = (event: string) => gateway.entries.filter((entry) => entry.event === event);
  return { ...gateway, credential, ready, getStatus, events };
}

test('a refused platform key is a 502, is logged once for the operator, and ends with the first success', async () => {
  const { post, ready, getStatus, events } = await open();
  openaiAnswers(errorReply(401, { error: { message: 'Incorrect API key provided: sk-abc' } }));
  for (let times = 0; times < 2; times += 1) {
    const response = await post('/v1/chat/completions', { model, ...chat });
    expect([response.status, await errorCode(response)]).toEqual([502, 'upstream_auth_failed']);
  }
  expect(events('provider_needs_attention')).toEqual([
    { event: 'provider_needs_attention', provider: 'openai', trouble: 'key_refused' },
  ]);
  expect(await ready()).toEqual({ status: 'ready', providers: { openai: 'key_refused' } });
  expect(await getStatus(model)).toBe('degraded');
  openaiAnswers(good);
  expect((await post('/v1/chat/completions', { model, ...chat })).status).toBe(200);
  expect(await ready()).toEqual({ status: 'ready' });
  expect(events('provider_recovered')).toHaveLength(1);
});

test('a provider without quota is a 503 and is passed over until a check succeeds', async () => {
  const { post, ready, getStatus, gateway, credential, pass } = await open();
  openaiAnswers(errorReply(429, { error: { code: 'insufficient_quota', message: 'x' } }));
  const response = await post('/v1/chat/completions', { model, ...chat });
  expect([response.status, await errorCode(response)]).toEqual([503, 'no_provider_available']);
  expect([await ready(), await getStatus('openai/gpt-4o')]).toEqual([
    { status: 'ready', providers: { openai: 'quota_exhausted' } },
    'disabled',
  ]);
  upstream.calls.length = 0;
  const routed = await post('/v1/chat/completions', { provider: 'router', ...chat });
  expect((await routed.json()).provider).toBe('google');
  const only = await post('/v1/chat/completions', { provider: 'openai', ...chat });
  expect([only.status, await errorCode(only)]).toEqual([503, 'no_provider_available']);
  expect(upstream.calls.filter((call) => call.path.startsWith('/v1/'))).toEqual([]);
  openaiAnswers(errorReply(200, { data: [] }));
  await gateway.checkProvider('openai', credential);
  expect(await ready()).toEqual({ status: 'ready' });
  openaiAnswers(good);
  pass(300_000);
  expect((await post('/v1/chat/completions', { provider: 'openai', ...chat })).status).toBe(200);
});

test('a model that its provider does not know is 502 when named, flagged, and passed over by the router', async () => {
  const { post, getStatus, events, pass } = await open();
  openaiAnswers(errorReply(404, { error: { code: 'model_not_found', message: 'no such model' } }));
  const response = await post('/v1/chat/completions', { model, ...chat });
  expect([response.status, await errorCode(response)]).toEqual([502, 'upstream_error']);
  expect([await getStatus(model), await getStatus('openai/gpt-4o')]).toEqual(['disabled', 'available']);
  expect(events('model_unknown')).toEqual([{ event: 'model_unknown', model }]);
  upstream.calls.length = 0;
  await post('/v1/chat/completions', { provider: 'openai', route: { only: [model] }, ...chat });
  expect(upstream.calls).toEqual([]);
  pass(3_600_000);
  expect(await getStatus(model)).toBe('available');
});

test.each([
  [500, 2, 502, 'upstream_error'],
  [503, 2, 503, 'upstream_overloaded'],
  [529, 2, 503, 'upstream_overloaded'],
  [404, 1, 502, 'upstream_error'],
  [400, 1, 400, 'upstream_invalid_request'],
  [401, 1, 400, 'byoapi_key_rejected'],
  [403, 1, 400, 'byoapi_key_rejected'],
  [402, 1, 402, 'byoapi_key_insufficient_quota'],
  [429, 1, 429, 'upstream_rate_limited'],
])('with the caller’s own key an upstream %i is asked %i times: %i %s', async (status, calls, ours, code) => {
  const { post, ready } = await open();
  openaiAnswers(errorReply(status, { error: { message: 'x' } }));
  for (const named of [{ model }, { provider: 'openai' }]) {
    upstream.calls.length = 0;
    const response = await post('/v1/chat/completions', { ...named, ...chat, byoapi_key: 'own-key-12345' });
    expect([response.status, await errorCode(response)]).toEqual([ours, code]);
    expect(new Set(upstream.calls.map((call) => call.headers.authorization))).toEqual(
      new Set(['Bearer own-key-12345']),
    );
    if ('model' in named) expect(upstream.calls).toHaveLength(calls);
    else expect(upstream.calls.length > 1).toBe(calls > 1);
  }
  expect(await ready()).toEqual({ status: 'ready' });
});
