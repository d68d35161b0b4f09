import { describe, expect, onTestFinished, test } from 'vitest';
import { errorBody } from '#shared/wire/error.ts';
import {
  errorCode,
  openTestGateway,
  type TestGatewayOptions,
} from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { testPrincipal, testReceiving } from '../../../tests/gateway-doubles/test-receiving.ts';
import { hangingReply, openUpstream } from '../../../tests/gateway-doubles/upstream-server.ts';
import { createApp } from '../../http/app.ts';
import { listen } from '../../http/listen.ts';
import { getPlan } from '../auth/plans.ts';
import { Secret } from '../auth/secret.ts';

const echo = { model: 'sandbox/echo', prompt: 'hi' };
const wrongKey = 'sk-portico-wrong';

async function open(options: TestGatewayOptions = {}) {
  const opened = await openTestGateway(options);
  const at = (address: string, path: string, init: RequestInit & { key?: string } = {}) =>
    opened.gateway.fetch(
      new Request(`http://127.0.0.1${path}`, {
        ...init,
        headers: { authorization: `Bearer ${init.key ?? opened.key}` },
      }),
      { address },
    );
  return { ...opened, at };
}

/** Sends requests until a 429 and returns how many were admitted. */
async function untilRefused(ask: () => Promise<Response>, most = 400): Promise<[number, Response]> {
  for (let passed = 0; passed < most; passed += 1) {
    const response = await ask();
    if (response.status === 429) return [passed, response];
  }
  throw new Error(`${most} requests and none was refused`);
}

describe('§7 requests a minute', () => {
  test('are counted per user for requests with tokens, whichever token the user has, and separately from keys', async () => {
    const { call, gateway, account, key } = await open({ plan: 'free' });
    const getToken = async (userId: string) =>
      (await gateway.operator.issueToken({ userId, scopes: ['chat'], lifetimeS: 60 })).token;
    const ask = (credential: string) =>
      call('/chat', {
        key: credential,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(echo),
      });
    const ada = await gateway.operator.createUser({ accountId: account.id, name: 'Ada' });
    const bob = await gateway.operator.createUser({ accountId: account.id, name: 'Bob' });
    const first = await getToken(ada.id);
    const [passed] = await untilRefused(() => ask(first));
    expect(passed).toBe(20);
    expect((await ask(await getToken(ada.id))).status).toBe(429);
    expect((await ask(await getToken(bob.id))).status).toBe(200);
    expect((await ask(key)).status).toBe(200);
  });

  test.each([
    ['free', 20],
    ['pro', 300],
  ])(
    'the plan %s admits %i chats, then 429 with both waits, and again after the announced wait',
    async (plan, limit) => {
      const { post, pass } = await open({ plan });
      const [passed, refused] = await untilRefused(() => post('/chat', echo));
      expect(passed).toBe(limit);
      const wait = Number(refused.headers.get('retry-after-ms'));
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(60_000);
      expect(refused.headers.get('retry-after')).toBe(String(Math.ceil(wait / 1000)));
      expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0');
      expect(errorBody.parse(await refused.json()).error).toMatchObject({
        code: 'rate_limit_exceeded',
        type: 'rate_limit_error',
        status_code: 429,
        retryable: true,
      });
      pass(wait);
      expect((await post('/chat', echo)).status).toBe(200);
    },
  );

  test('the headers of every chat answer contain what is left, even when it was refused or failed, and no other answer has them', async () => {
    const { post, call } = await open({ plan: 'free' });
    const first = await post('/v1/chat/completions', {
      model: 'sandbox/echo',
      messages: [{ role: 'user', content: 'a' }],
    });
    expect(first.headers.get('x-ratelimit-limit-requests')).toBe('20');
    expect(first.headers.get('x-ratelimit-remaining-requests')).toBe('19');
    expect(first.headers.get('x-ratelimit-reset-requests')).toBe('1m0s');
    expect(first.headers.get('x-ratelimit-limit-tokens')).toBe('40000');
    expect(Number(first.headers.get('x-ratelimit-remaining-tokens'))).toBeLessThan(40_000 - 4096);
    expect(first.headers.get('x-ratelimit-reset-tokens')).toBe('1m0s');
    const invalid = await post('/api/chat', { ...echo, temperature: 9 });
    expect([invalid.status, invalid.headers.get('x-ratelimit-remaining-requests')]).toEqual([400, '18']);
    const streamed = await post('/chat', { ...echo, stream: true });
    expect(streamed.headers.get('x-ratelimit-remaining-requests')).toBe('17');
    await streamed.text();
    expect((await call('/account')).headers.has('x-ratelimit-limit-requests')).toBe(false);
  });

  test('a plan without a token limit has no token headers', async () => {
    const { post } = await open({ plan: 'sandbox' });
    const { headers } = await post('/chat', echo);
    expect(headers.get('x-ratelimit-limit-requests')).toBe('600');
    expect(headers.has('x-ratelimit-limit-tokens')).toBe(false);
  });

  test('two keys of an account that the operator made have a limit each', async () => {
    const { post, gateway, account } = await open({ plan: 'free' });
    await untilRefused(() => post('/chat', echo));
    const other = await gateway.operator.createKey({ accountId: account.id });
    const answer = await post('/chat', echo, { headers: { authorization: `Bearer ${other.key}` } });
    expect(answer.status).toBe(200);
  });
});

describe('§7 tokens a minute', () => {
  test('reserved tokens count at once, and the actual usage replaces them when it is known', async () => {
    const { post } = await open({ plan: 'free' });
    const remaining = async (body: object) =>
      Number((await post('/chat', { ...echo, ...body })).headers.get('x-ratelimit-remaining-tokens'));
    const first = await remaining({ max_tokens: 8000 });
    expect(first).toBeLessThanOrEqual(32_000);
    expect(await remaining({ max_tokens: 1 })).toBeGreaterThan(39_000);
  });

  test('a request that no longer fits into the minute is 429, and is admitted after the announced wait', async () => {
    const { post, pass } = await open({ plan: 'free' });
    const long = { ...echo, prompt: 'word '.repeat(20_000), max_tokens: 1 };
    expect((await post('/chat', long)).status).toBe(200);
    const refused = await post('/chat', long);
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('18');
    expect(await errorCode(refused)).toBe('token_rate_limit_exceeded');
    pass(Number(refused.headers.get('retry-after-ms')));
    expect((await post('/chat', long)).status).toBe(200);
  });

  test('a request for more tokens than a minute allows is 403 plan_limit_exceeded, because waiting would not help', async () => {
    const { post } = await open({ plan: 'free' });
    const refused = await post('/chat', { ...echo, prompt: 'word '.repeat(40_000) });
    expect(refused.headers.has('retry-after')).toBe(false);
    expect([refused.status, await errorCode(refused)]).toEqual([403, 'plan_limit_exceeded']);
  });

  test('the caller’s own provider key uses no tokens of the plan', async () => {
    const { post } = await open({ plan: 'free' });
    const body = { provider: 'sandbox', model: 'sandbox/echo', prompt: 'hi', byoapi_key: 'my-own-key-1' };
    const { headers } = await post('/chat', body);
    expect(headers.get('x-ratelimit-remaining-tokens')).toBe('40000');
  });
});

describe('§7 chats at once', () => {
  test('of 200 simultaneous chats exactly as many run as the plan allows, and each that ends admits one more', async () => {
    const upstream = await openUpstream(hangingReply(''));
    onTestFinished(() => upstream.close());
    const providers = { openai: { apiKey: new Secret('platform'), baseUrl: `${upstream.origin}/v1` } };
    const { post } = await open({ plan: 'pro', providers });
    const abort = new AbortController();
    const ask = (signal: AbortSignal) =>
      post('/chat', { model: 'openai/gpt-5.4-mini', prompt: 'hi', stream: true }, { signal });
    const codes: string[] = [];
    const asked = Array.from({ length: 200 }, () =>
      ask(abort.signal).then(
        async (response) => {
          codes.push(response.status === 429 ? await errorCode(response) : String(response.status));
        },
        () => codes.push('left'),
      ),
    );
    // The running chats get their headers, too, when the status line has been held back long enough.
    const refusals = () => codes.filter((code) => code !== '200');
    await expect.poll(() => refusals().length).toBe(168);
    expect(new Set(refusals())).toEqual(new Set(['concurrency_limit_exceeded']));
    await expect.poll(() => upstream.calls.length).toBe(32);
    const refused = await ask(new AbortController().signal);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    abort.abort();
    await Promise.all(asked);
    await Promise.all(upstream.calls.map((call) => call.closed));
    await expect.poll(async () => (await post('/chat', echo)).status).toBe(200);
    expect(upstream.calls).toHaveLength(32);
  });

  test('a refused or invalid request does not count as running', async () => {
    const { post } = await open({ plan: 'free' });
    for (let index = 0; index < 12; index += 1) expect((await post('/chat', { prompt: 1 })).status).toBe(400);
    expect((await post('/chat', { ...echo, model: 'nothing' })).status).toBe(404);
    expect((await post('/chat', echo)).status).toBe(200);
  });
});

describe('§7 reads, verifications and failures', () => {
  test('reads are limited to 120 a minute for each credential from any address, and are unlimited within this process', async () => {
    const { at, call } = await open();
    let asked = 0;
    const [passed, refused] = await untilRefused(() => at(`203.0.113.${asked++ % 200}`, '/v1/models/router'));
    expect([passed, await errorCode(refused)]).toEqual([120, 'rate_limit_exceeded']);
    expect((await call('/healthz')).status).toBe(200);
    expect((await call('/v1/models/router')).status).toBe(200);
  });

  test('verifications are limited to 30 a minute for each address, whatever the credential', async () => {
    const { at, call } = await open();
    const [passed] = await untilRefused(() => at('203.0.113.7', '/v1/auth/verify', { method: 'POST' }));
    expect(passed).toBe(30);
    expect((await at('203.0.113.8', '/v1/auth/verify', { method: 'POST' })).status).toBe(200);
    expect((await call('/v1/auth/verify', { method: 'POST' })).status).toBe(200);
  });

  test('refused credentials are limited to 20 a minute for each address, and a valid credential still works from there', async () => {
    const { at, pass } = await open();
    const fail = () => at('2001:db8:1:2::1', '/account', { key: wrongKey });
    const [failed, refused] = await untilRefused(fail);
    expect([failed, await errorCode(refused)]).toEqual([20, 'too_many_auth_failures']);
    expect((await at('2001:db8:1:2:ffff::9', '/account', { key: wrongKey })).status).toBe(429);
    expect((await at('2001:db8:1:3::1', '/account', { key: wrongKey })).status).toBe(401);
    expect((await at('2001:db8:1:2::1', '/account')).status).toBe(200);
    pass(Number(refused.headers.get('retry-after-ms')));
    expect((await fail()).status).toBe(401);
  });

  test('a request without a credential does not count as a refused credential', async () => {
    const { gateway } = await open();
    const request = () => new Request('http://127.0.0.1/account');
    for (let index = 0; index < 25; index += 1) {
      expect((await gateway.fetch(request(), { address: '203.0.113.7' })).status).toBe(401);
    }
  });

  test('the address of a request over a socket is the address that its connection comes from', async () => {
    const { gateway } = await open();
    const server = await listen(gateway, { port: 0 });
    onTestFinished(() => server.close());
    const ask = () => fetch(`${server.url}/account`, { headers: { authorization: `Bearer ${wrongKey}` } });
    expect((await untilRefused(ask))[0]).toBe(20);
  });
});

describe('§3.3 the order of refusals', () => {
  test.each([
    ['401 before 429', { key: wrongKey, body: '{' }, 'invalid_api_key'],
    ['429 before 400', { body: '{' }, 'rate_limit_exceeded'],
    ['415 before 429', { body: '{', headers: { 'content-type': 'text/plain' } }, 'unsupported_media_type'],
  ])('%s', async (_row, { key, body, headers }: { key?: string; body: string; headers?: object }, code) => {
    const opened = await open({ plan: 'free' });
    await untilRefused(() => opened.post('/chat', echo));
    const response = await opened.call('/chat', {
      method: 'POST',
      body,
      ...(key ? { key } : {}),
      headers: { 'content-type': 'application/json', ...headers },
    });
    expect(await errorCode(response)).toBe(code);
  });

  test('403 for the account before 429', async () => {
    const { post, gateway, account } = await open({ plan: 'free' });
    await untilRefused(() => post('/chat', echo));
    await gateway.operator.setAccountStatus(account.id, 'suspended');
    expect(await errorCode(await post('/chat', echo))).toBe('account_suspended');
  });

  test('403 for a used-up day before 429 and before 400', async () => {
    const { post, pass } = await open({ plan: 'free' });
    for (let count = 0; count < 200; count += 1) {
      if (count % 20 === 0) pass(60_000);
      expect((await post('/chat', echo)).status).toBe(200);
    }
    for (let index = 0; index < 25; index += 1) {
      expect(await errorCode(await post('/chat', { prompt: 1 }))).toBe('plan_limit_exceeded');
    }
  });

  test('400 before 404 before 402, and 402 before anything is sent', async () => {
    const { post } = await open({ plan: 'pro', balance: '0' });
    expect(await errorCode(await post('/chat', { ...echo, model: 'nothing', temperature: 9 }))).toBe('invalid_value');
    expect(await errorCode(await post('/chat', { ...echo, model: 'nothing' }))).toBe('model_not_found');
    expect(await errorCode(await post('/chat', echo))).toBe('insufficient_credits');
  });
});

describe('§7 features', () => {
  test.each([
    ['/chat', 'POST', 'chat'],
    ['/v1/usage', 'GET', 'usage_api'],
  ])('%s is 403 plan_required when the plan lacks its feature', async (path, method, feature) => {
    const plan = {
      ...getPlan('pro'),
      features: ['chat', 'router', 'byok', 'usage_api'].filter((one) => one !== feature),
    };
    const receiving = testReceiving({
      authorizer: {
        authenticate: async () => testPrincipal(plan, 'key_1', ['chat', 'account']),
        forget: () => {},
      },
    });
    const app = createApp(receiving, []);
    const response = await app.request(path, { method, headers: { 'content-type': 'application/json' } });
    expect(errorBody.parse(await response.json()).error).toMatchObject({
      code: 'plan_required',
      status_code: 403,
      details: { feature },
    });
  });
});
