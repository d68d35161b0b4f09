import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { requestList } from '#shared/wire/request-record.ts';
import { openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { openRawAnswers, sendAndEnd, sendByteByByte } from '../../tests/gateway-doubles/raw-answers.ts';
import { recordedStreams } from '../../tests/gateway-doubles/recorded-streams.ts';
import { byProvider } from '../../tests/gateway-doubles/three-providers.ts';
import { openUpstream, streamReply, type Upstream } from '../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../access/auth/secret.ts';

/** Classes of tokens with a price of their own are charged, stored and verified separately. */

const anthropic = recordedStreams.anthropic
  .join('')
  .replace(
    '"cache_creation_input_tokens":2,',
    '"cache_creation_input_tokens":7,"cache_creation":{"ephemeral_5m_input_tokens":2,"ephemeral_1h_input_tokens":5},',
  );
const google = recordedStreams.google
  .join('')
  .replaceAll(
    '"promptTokenCount":18,',
    '"promptTokenCount":18,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":9}],',
  );

let upstream: Upstream;
beforeAll(async () => {
  upstream = await openUpstream(byProvider({ anthropic: streamReply(anthropic), google: streamReply(google) }));
});
afterAll(() => upstream.close());

async function answered(model: string, origin = upstream.origin) {
  const given = { apiKey: new Secret('platform-key'), baseUrl: origin };
  const opened = await openTestGateway({ providers: { anthropic: given, google: given } });
  const ask = async () => {
    const answer = await opened.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'hello' }] });
    expect(await answer.json()).toMatchObject({ object: 'chat.completion' });
    const [record] = requestList.parse(await (await opened.call('/v1/requests')).json()).data;
    const { ok, checks } = await opened.gateway.operator.checkLedger();
    expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
    expect(ok).toBe(true);
    return record;
  };
  return { ...opened, ask };
}

test('tokens that Anthropic keeps in its cache for an hour cost twice the input, and the ledger verifies', async () => {
  const { ask } = await answered('anthropic/claude-haiku-4-5');
  const record = await ask();
  expect(record).toMatchObject({ prompt_tokens: 25, cache_write_tokens: 7, cache_write_1h_tokens: 5 });
  // A million tokens cost $1 in, $0.10 read from the cache, $1.25 or $2 written to it, and $5 out.
  const cost = 10n * 1_000n + 8n * 100n + 2n * 1_250n + 5n * 2_000n + 11n * 5_000n;
  expect(parseUsd(record?.cost_usd ?? '0')).toBe(cost);
});

test('cached tokens cost the same when the answer comes byte by byte, and nothing when its end is missing', async () => {
  const raw = await openRawAnswers();
  onTestFinished(raw.close);
  raw.playing(sendByteByByte(Buffer.from(anthropic)));
  const { ask, post, call } = await answered('anthropic/claude-haiku-4-5', raw.origin);
  const record = await ask();
  expect(record).toMatchObject({ cache_write_tokens: 7, cache_write_1h_tokens: 5 });
  expect(parseUsd(record?.cost_usd ?? '0')).toBe(10n * 1_000n + 8n * 100n + 2n * 1_250n + 5n * 2_000n + 11n * 5_000n);
  raw.playing(sendAndEnd(Buffer.from(anthropic.slice(0, anthropic.indexOf('event: message_stop')))));
  const cut = { model: 'anthropic/claude-haiku-4-5', prompt: 'hello' };
  expect((await post('/chat', cut)).status).toBe(502);
  const [last] = requestList.parse(await (await call('/v1/requests')).json()).data;
  expect(last).toMatchObject({ status: 'failed', cost_usd: '0', error_code: 'upstream_truncated' });
});

test('a prompt cache mark is sent to Anthropic, and the hold covers storing all of the input for an hour', async () => {
  const { post, call } = await answered('anthropic/claude-haiku-4-5');
  const text = 'x'.repeat(350);
  const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  const ask = (more: object) => ({
    model: 'anthropic/claude-haiku-4-5',
    max_tokens: 100,
    messages: [{ role: 'user', content: [{ type: 'text', text, ...more }] }],
  });
  const high = async (body: object) =>
    parseUsd(((await (await post('/v1/quote', body)).json()) as { cost_usd: { high: string } }).cost_usd.high);
  // One token for each byte, and the tokens that the vendor adds around the message.
  const tokens = ((await high(ask({}))) - 100n * 5_000n) / 1_000n;
  expect(tokens).toBeGreaterThanOrEqual(350n);
  expect(tokens).toBeLessThan(450n);
  const [plain, marked, hour] = [ask({}), ask({ cache_control: { type: 'ephemeral' } }), ask(mark)];
  const inputCost = async (body: object) => (await high(body)) - 100n * 5_000n;
  expect(await inputCost(plain)).toBe(tokens * 1_000n);
  expect(await inputCost(marked)).toBeGreaterThanOrEqual(tokens * 1_250n);
  expect(await inputCost(hour)).toBeGreaterThanOrEqual(tokens * 2_000n);
  expect((await post('/v1/chat/completions', ask(mark))).status).toBe(200);
  expect(upstream.calls.at(-1)?.body).toMatchObject({
    messages: [{ content: [{ type: 'text', text, ...mark }] }],
  });
  const [record] = requestList.parse(await (await call('/v1/requests')).json()).data;
  expect(record).toMatchObject({ cache_write_tokens: 7, cache_write_1h_tokens: 5, estimated: false });
  expect(parseUsd(record?.cost_usd ?? '9')).toBeLessThanOrEqual(await high(ask(mark)));
});

test('a cache mark that a model does not support is dropped with a warning', async () => {
  const { post } = await answered('google/gemini-2.5-flash');
  const content = [{ type: 'text', text: 'hello', cache_control: { type: 'ephemeral' } }];
  const body = { model: 'google/gemini-2.5-flash', messages: [{ role: 'user', content }] };
  const { warnings } = (await (await post('/v1/chat/completions', body)).json()) as { warnings: object[] };
  expect(warnings).toEqual([
    expect.objectContaining({ code: 'model_deprecated' }),
    expect.objectContaining({ code: 'parameter_dropped', param: 'cache_control' }),
  ]);
  const wrong = {
    ...body,
    messages: [{ role: 'user', content: [{ ...content[0], cache_control: { type: 'forever' } }] }],
  };
  expect((await post('/v1/chat/completions', wrong)).status).toBe(400);
  const strict = { ...body, route: { require_parameters: true } };
  expect((await post('/v1/chat/completions', strict)).status).toBe(404);
});

test('an operator’s own price for an hour in the cache is charged instead, and stored with the request', async () => {
  const { ask, gateway } = await answered('anthropic/claude-haiku-4-5');
  const price = { input: '1', output: '5', cache_read: '0.1', cache_write: '1.25', cache_write_1h: '3', tiers: [] };
  await gateway.operator.overridePrice({ model: 'anthropic/claude-haiku-4-5', price });
  const record = await ask();
  expect(record?.price).toMatchObject({ input_cache_write_1h: '0.000003' });
  const cost = 10n * 1_000n + 8n * 100n + 2n * 1_250n + 5n * 3_000n + 11n * 5_000n;
  expect(parseUsd(record?.cost_usd ?? '0')).toBe(cost);
});

test('audio input is charged at its own price, and the ledger verifies', async () => {
  const { ask, gateway } = await answered('google/gemini-2.5-flash');
  const price = { input: '1', output: '2', cache_read: '0.5', cache_write: null, input_audio: '7', tiers: [] };
  await gateway.operator.overridePrice({ model: 'google/gemini-2.5-flash', price });
  const record = await ask();
  expect(record).toMatchObject({ prompt_tokens: 20, audio_tokens: 9 });
  const plain = BigInt(20 - 9 - (record?.cached_tokens ?? 0)) * 1_000n + BigInt(record?.cached_tokens ?? 0) * 500n;
  const output = BigInt(record?.completion_tokens ?? 0) * 2_000n;
  expect(parseUsd(record?.cost_usd ?? '0')).toBe(plain + 9n * 7_000n + output);
});
