import { describe, expect, test } from 'vitest';
import { errorBody } from '#shared/wire/error.ts';
import { errorCode, openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { testPrincipal, testReceiving } from '../../tests/gateway-doubles/test-receiving.ts';
import { createApiKey } from '../access/auth/api-key.ts';
import { getPlan } from '../access/auth/plans.ts';
import { createOverload } from '../access/overload/overload.ts';
import { createApp } from './app.ts';
import { routePolicies } from './policies.ts';

const chatBody = { prompt: 'hi', provider: 'sandbox' };
/** Returns a real path for a policy's pattern. */
const toPath = (pattern: string) => pattern.replace('/v1/models/*', '/v1/models/router').replace('/*', '/req_0');

describe('admission', () => {
  test('asks for a credential on every route that is not public, and never serves without one', async () => {
    const { call } = await openTestGateway();
    for (const policy of routePolicies) {
      const headers = { 'content-type': 'application/json' };
      const body = policy.method === 'POST' ? JSON.stringify(chatBody) : null;
      const response = await call(toPath(policy.path), { method: policy.method, key: null, headers, body });
      expect(response.status, policy.path).toBe(policy.access === 'public' ? 200 : 401);
      if (policy.access !== 'public') expect(await errorCode(response)).toBe('missing_credentials');
    }
  });

  test.each(['chat', 'models', 'account'] as const)('lets the scope "%s" reach its own routes only', async (scope) => {
    const { call } = await openTestGateway({ scopes: [scope] });
    for (const policy of routePolicies.filter((one) => one.access !== 'public')) {
      const headers = { 'content-type': 'application/json' };
      const body = policy.method === 'POST' ? JSON.stringify(chatBody) : null;
      const response = await call(toPath(policy.path), { method: policy.method, headers, body });
      const allowed = policy.access === 'any' || policy.access === scope;
      expect(response.status === 403, `${policy.method} ${policy.path}`).toBe(!allowed);
      if (allowed) continue;
      expect(await errorCode(response)).toBe('insufficient_scope');
      expect(response.headers.get('www-authenticate')).toContain(
        `error="insufficient_scope", scope="${policy.access}"`,
      );
    }
  });

  test('a key without scopes is valid, and may use no route but verify', async () => {
    const { call } = await openTestGateway({ scopes: [] });
    expect((await call('/v1/auth/verify', { method: 'POST' })).status).toBe(200);
    expect(await errorCode(await call('/account'))).toBe('insufficient_scope');
  });

  test('an unknown key and a revoked key get the same error', async () => {
    const { call, gateway, keyId } = await openTestGateway();
    expect((await call('/account')).status).toBe(200);
    await gateway.operator.revokeKey(keyId);
    const [revoked, unknown] = await Promise.all([call('/account'), call('/account', { key: createApiKey() })]);
    const withoutId = async (response: Response) => {
      const { error } = errorBody.parse(await response.json());
      return [response.status, response.headers.get('www-authenticate'), { ...error, request_id: null }];
    };
    expect(await withoutId(revoked)).toEqual(await withoutId(unknown));
    expect(revoked.headers.get('www-authenticate')).toBe(
      'Bearer realm="api", error="invalid_token", ApiKey realm="api"',
    );
  });

  test('without a header the challenge names no error', async () => {
    const { call } = await openTestGateway();
    const response = await call('/account', { key: null });
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="api", ApiKey realm="api"');
  });

  test('a key outside the header is ignored', async () => {
    const { call, key } = await openTestGateway();
    const headers = { 'x-api-key': key, cookie: `key=${key}` };
    expect(await errorCode(await call(`/account?key=${key}`, { key: null, headers }))).toBe('missing_credentials');
  });

  test.each([
    ['a path that does not exist', '/nope', { method: 'POST', key: null }, 404, 'unknown_endpoint'],
    ['a wrong method', '/chat', { method: 'GET', key: null }, 405, 'method_not_allowed'],
    ['a wrong media type', '/chat', { method: 'POST', key: null, body: 'prompt=hi' }, 415, 'unsupported_media_type'],
    [
      'an encoded body',
      '/chat',
      { method: 'POST', key: null, headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
      415,
      'unsupported_content_encoding',
    ],
    [
      'a body that is announced too large',
      '/chat',
      { method: 'POST', key: null, headers: { 'content-type': 'application/json', 'content-length': '26214401' } },
      413,
      'request_too_large',
    ],
  ])('answers %s before it checks the credential', async (_what, path, init, status, code) => {
    const { call } = await openTestGateway();
    const response = await call(path, init);
    expect(response.status).toBe(status);
    expect(await errorCode(response)).toBe(code);
  });

  test('checks the credential before the body', async () => {
    const { call } = await openTestGateway();
    const init = { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } };
    expect(await errorCode(await call('/chat', { ...init, key: null }))).toBe('missing_credentials');
    expect(await errorCode(await call('/chat', init))).toBe('invalid_json');
  });

  test.each(['/v1/completions', '/v1/batches'])('names the endpoint to use instead of %s', async (path) => {
    const { call } = await openTestGateway();
    const { error } = errorBody.parse(await (await call(path, { method: 'POST' })).json());
    expect(error.message).toContain('/v1/chat/completions');
  });

  test('takes a URL of 8 KiB and not one character more', async () => {
    const { call } = await openTestGateway();
    const url = (length: number) => `/healthz?${'q'.repeat(length - '/healthz?'.length)}`;
    expect((await call(url(8192))).status).toBe(200);
    expect(await errorCode(await call(url(8193)))).toBe('request_too_large');
  });

  test('takes no NUL character in a URL', async () => {
    const { call } = await openTestGateway();
    expect(await errorCode(await call('/healthz?%00'))).toBe('malformed_request');
  });

  test('names the methods of a path that has others', async () => {
    const { call } = await openTestGateway();
    expect((await call('/account', { method: 'DELETE' })).headers.get('allow')).toBe('GET, HEAD');
    expect((await call('/v1/auth/verify')).headers.get('allow')).toBe('POST');
  });
});

describe('every answer', () => {
  test('carries its id, the version, and is neither stored nor sniffed', async () => {
    const { call } = await openTestGateway();
    for (const path of ['/account', '/nope', '/healthz']) {
      const { headers } = await call(path, { headers: { 'x-client-request-id': 'abc-1' } });
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
      expect(headers.get('x-portico-version')).toMatch(/^\d+\.\d+\.\d+$/);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('x-client-request-id')).toBe('abc-1');
    }
  });

  test('is the same with a trailing slash, and without a body for HEAD', async () => {
    const { call } = await openTestGateway();
    expect((await call('/account/')).status).toBe(200);
    const head = await call('/account', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('hides an internal error and logs it with the id of the answer', async () => {
    const entries: Readonly<Record<string, unknown>>[] = [];
    const receiving = testReceiving({
      authorizer: {
        authenticate: () => Promise.reject(new Error('cannot open /home/someone/ledger.db')),
        forget: () => {},
      },
      log: (entry) => void entries.push(entry),
    });
    const app = createApp(receiving, []);
    const response = await app.request('/account');
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toContain('/home');
    const { error } = errorBody.parse(JSON.parse(text));
    expect(entries).toContainEqual(
      expect.objectContaining({
        event: 'internal_error',
        request_id: error.request_id,
        message: 'cannot open /home/someone/ledger.db',
      }),
    );
  });

  test('writes no key into the log', async () => {
    const { call, key, entries } = await openTestGateway();
    await call(`/account?key=${key}`);
    await call(`/${key}`);
    expect(entries.length).toBeGreaterThan(1);
    expect(JSON.stringify(entries)).not.toContain(key);
  });
});

test('a draining gateway refuses new requests with a wait, and its health check still succeeds', async () => {
  const { call, post, gateway } = await openTestGateway();
  await gateway.drain(1000);
  const refused = await post('/chat', chatBody);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await errorCode(refused)).toBe('shutting_down');
  expect((await call('/readyz')).status).toBe(503);
  expect((await call('/healthz')).status).toBe(200);
});

test('a chat whose turn comes while the gateway drains is refused, and releases its memory', async () => {
  let draining = false;
  let left = 0;
  const caller = testPrincipal(getPlan('pro'));
  const receiving = testReceiving({
    authorizer: { authenticate: () => caller, forget: () => {} },
    draining: () => draining,
    overload: {
      ...createOverload({ statements: () => 0 }),
      async enter() {
        draining = true;
        return { grow: () => {}, release: () => void left++ };
      },
    },
  });
  const response = await createApp(receiving, []).request('/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(chatBody),
  });
  expect([response.status, await errorCode(response), left]).toEqual([503, 'shutting_down', 1]);
});
