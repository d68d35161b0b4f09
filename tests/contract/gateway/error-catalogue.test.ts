import { expect, test } from 'vitest';
import { errorKinds } from '#shared/errors.ts';
import { errorBody } from '#shared/wire/error.ts';
import { type KeySetting, openContract } from './open-contract.ts';

/** Causes every error code of §3.2 that a request alone can cause. */
const contract = openContract();
const { call, post, newKey, scriptedCalls } = contract;

const messages = [{ role: 'user', content: 'hello' }];
const mini = 'openai/gpt-5.4-mini';
const path = '/v1/chat/completions';

type Ask = () => Promise<Response>;
const chat =
  (body: object | string, headers: Record<string, string> = {}): Ask =>
  () =>
    post(path, typeof body === 'string' ? body : { model: mini, messages, ...body }, { headers });
const withKey =
  (setting: KeySetting, body: object = {}): Ask =>
  async () =>
    post(path, { model: mini, messages, ...body }, { key: await newKey(setting) });
const get =
  (url: string, headers: Record<string, string> = {}, method = 'GET'): Ask =>
  () =>
    call(url, { method, headers });
const scripted = (script: string, body: object = {}): Ask => chat({ model: `openai-compatible/${script}.0`, ...body });
const content = (part: object) => ({ messages: [{ role: 'user', content: [part] }] });
const own = { byoapi_key: 'my-own-key-1' };
const file = (file_data: string) => ({ type: 'file', file: { file_data } });

const rows: readonly [row: string, status: number, ask: Ask][] = [
  ['§3.2 invalid_json', 400, chat('{"model":')],
  ['§3.2 missing_required_parameter', 400, chat({ messages: undefined })],
  ['§3.2 invalid_type', 400, chat({ temperature: '0.7' })],
  ['§3.2 invalid_value', 400, chat({ temperature: 9 })],
  ['§3.2 unknown_parameter', 400, chat({ max_token: 1 }, { 'x-portico-strict': '1' })],
  ['§3.2 unsupported_parameter', 400, chat({ prompt: 'x' })],
  ['§3.2 unsupported_value', 400, chat({ n: 2 })],
  ['§3.2 unsupported_tool_type', 400, chat({ tools: [{ type: 'web_search' }] })],
  ['§3.2 invalid_provider', 400, chat({ provider: 'acme' })],
  ['§3.2 provider_model_mismatch', 400, chat({ provider: 'anthropic' })],
  ['§3.2 invalid_role', 400, chat({ messages: [{ role: 'x', content: 'x' }] })],
  ['§3.2 invalid_tool_call_id', 400, chat({ messages: [{ role: 'tool', tool_call_id: 'x', content: 'x' }] })],
  ['§3.2 max_tokens_too_large', 400, chat({ max_tokens: 10_000_000 })],
  ['§3.2 context_length_exceeded', 400, scripted('too-long')],
  ['§3.2 invalid_image', 400, chat(content({ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }))],
  ['§3.2 invalid_file', 400, chat(content(file('data:application/pdf;base64,AAAA')))],
  [
    '§3.2 unsupported_modality',
    400,
    chat(content({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } })),
  ],
  ['§3.2 unsupported_file_id', 400, chat(content({ type: 'file', file: { file_id: 'file-1' } }))],
  ['§3.2 invalid_query_parameter', 400, get('/models?limit=0')],
  ['§3.2 byoapi_key_requires_provider', 400, chat({ model: 'router', ...own })],
  ['§3.2 byoapi_key_rejected', 400, scripted('status-401', own)],
  ['§3.2 content_policy_violation', 400, scripted('against-policy')],
  ['§3.2 upstream_invalid_request', 400, scripted('status-400')],
  ['§3.2 missing_credentials', 401, () => call('/account', { key: null })],
  ['§3.2 malformed_authorization', 401, get('/account', { authorization: 'Bearer  two' })],
  ['§3.2 invalid_api_key', 401, get('/account', { authorization: 'Bearer sk-portico-wrong' })],
  ['§3.2 invalid_token', 401, get('/account', { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.c2ln' })],
  ['§3.2 insufficient_credits', 402, withKey({ balance: '0' })],
  ['§3.2 key_spend_limit_exceeded', 402, withKey({ spendLimit: '0.000001' })],
  ['§3.2 byoapi_key_insufficient_quota', 402, scripted('status-402', own)],
  ['§3.2 insufficient_scope', 403, withKey({ scopes: ['models'] })],
  [
    '§3.2 plan_limit_exceeded',
    403,
    withKey({ plan: 'free' }, { messages: [{ role: 'user', content: 'x '.repeat(100_000) }] }),
  ],
  ['§3.2 model_not_in_plan', 403, withKey({ plan: 'sandbox' })],
  ['§3.2 account_suspended', 403, withKey({ suspended: true })],
  ['§3.2 model_not_found', 404, chat({ model: 'nothing' })],
  ['§3.2 unknown_endpoint', 404, get('/v1/nothing')],
  ['§3.2 no_eligible_model', 404, chat({ model: 'router', route: { only: ['nobody'] } })],
  ['§3.2 request_not_found', 404, get('/v1/requests/req_0')],
  ['§3.2 key_not_found', 404, get('/v1/keys/key_0', {}, 'DELETE')],
  ['§3.2 method_not_allowed', 405, get('/chat')],
  ['§3.2 request_too_large', 413, chat(' '.repeat(25 * 1024 * 1024 + 1))],
  ['§3.2 unsupported_media_type', 415, chat('x', { 'content-type': 'text/plain' })],
  ['§3.2 unsupported_content_encoding', 415, chat('x', { 'content-encoding': 'gzip' })],
  ['§3.2 upstream_rate_limited', 429, scripted('status-429')],
  ['§3.2 upstream_error', 502, scripted('status-500')],
  ['§3.2 upstream_bad_response', 502, scripted('nonsense')],
  ['§3.2 upstream_truncated', 502, scripted('end-without-text')],
  ['§3.2 upstream_auth_failed', 502, scripted('status-401')],
  ['§3.2 upstream_unreachable', 502, scripted('reset-at-once')],
  ['§3.2 no_provider_available', 503, scripted('status-402')],
  ['§3.2 upstream_overloaded', 503, scripted('status-529')],
];

test.each(rows)('%s', async (row, status, ask) => {
  const code = row.slice('§3.2 '.length) as keyof typeof errorKinds;
  const response = await ask();
  const { error } = errorBody.parse(await response.json());
  expect([response.status, error.code]).toEqual([status, code]);
  expect(error).toMatchObject({
    type: errorKinds[code].type,
    retryable: errorKinds[code].retryable,
    status_code: status,
    request_id: response.headers.get('x-request-id'),
  });
  expect(error.message).toMatch(/^\S.*[.!?”")]$/s);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const waits = status === 429 || status === 503;
  expect([response.headers.has('retry-after'), response.headers.has('retry-after-ms')]).toEqual([waits, waits]);
  expect(response.headers.has('www-authenticate')).toBe(status === 401 || code === 'insufficient_scope');
  expect(response.headers.has('allow')).toBe(status === 405);
});

test('§3.2 api_key_expired', async () => {
  const { operator, pass } = contract;
  const { id } = await operator().createAccount({ name: 'Short' });
  const { key } = await operator().createKey({ accountId: id, expiresAt: Date.UTC(2026, 10, 20, 12, 0, 5) });
  expect((await call('/models', { key })).status).toBe(200);
  pass(5000);
  expect((await (await call('/models', { key })).json()).error.code).toBe('api_key_expired');
});

test('§3.2 idempotency_key_reused', async () => {
  const init = { key: await newKey(), headers: { 'idempotency-key': 'one' } };
  const body = { model: 'sandbox/echo', messages };
  expect((await post(path, body, init)).status).toBe(200);
  const second = await post(path, { ...body, top_p: 1 }, init);
  expect([second.status, (await second.json()).error.code]).toEqual([422, 'idempotency_key_reused']);
});

test.each([
  ['§3.2 rate_limit_exceeded', 'pro', 300, {}],
  [
    '§3.2 token_rate_limit_exceeded',
    'free',
    1,
    { messages: [{ role: 'user', content: 'word '.repeat(20_000) }], max_tokens: 1 },
  ],
])('%s', async (row, plan, passes, body) => {
  const key = await newKey({ plan });
  const ask = () => post(path, { model: 'sandbox/echo', messages, ...body }, { key });
  for (let count = 0; count < passes; count += 1) expect((await ask()).status).toBe(200);
  const refused = await ask();
  expect([refused.status, (await refused.json()).error.code]).toEqual([429, row.slice(5)]);
});

test('§3.2 concurrency_limit_exceeded', async () => {
  const key = await newKey({ plan: 'free' });
  const leave = new AbortController();
  const body = { model: 'openai-compatible/hang-for-429.0', messages };
  const running = Array.from({ length: 4 }, () => post(path, body, { key, signal: leave.signal }).catch(() => null));
  await expect.poll(() => scriptedCalls('hang-for-429.0')).toBe(4);
  const refused = await post(path, body, { key });
  expect([refused.status, (await refused.json()).error.code]).toEqual([429, 'concurrency_limit_exceeded']);
  leave.abort();
  await Promise.all(running);
});

test('§3.2 idempotency_in_progress', async () => {
  const leave = new AbortController();
  const body = { model: 'openai-compatible/hang-for-409.0', messages };
  const init = { key: await newKey(), headers: { 'idempotency-key': 'two' } };
  const first = post(path, body, { ...init, signal: leave.signal }).catch(() => null);
  await expect.poll(() => scriptedCalls('hang-for-409.0')).toBe(1);
  const second = await post(path, body, init);
  expect([second.status, (await second.json()).error.code]).toEqual([409, 'idempotency_in_progress']);
  leave.abort();
  await first;
});
