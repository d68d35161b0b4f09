import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { account } from '#shared/wire/account.ts';
import { promptResponse } from '#shared/wire/chat-response.ts';
import { errorBody } from '#shared/wire/error.ts';
import { modelList } from '#shared/wire/model.ts';
import { quote } from '#shared/wire/quote.ts';
import { usage } from '#shared/wire/usage.ts';
import { errorCode, openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { allScopes } from '../../access/auth/scopes.ts';
import { Secret } from '../../access/auth/secret.ts';

/** Returns keys for every provider, and an upstream that must never be called. */
function withProviders() {
  let calls = 0;
  const credential = (baseUrl: string) => ({ apiKey: new Secret('a-key-of-the-operator'), baseUrl });
  return {
    calls: () => calls,
    options: {
      providers: {
        openai: credential('https://openai.invalid/v1'),
        anthropic: credential('https://anthropic.invalid'),
        google: credential('https://google.invalid'),
      },
      fetch: async (_url: string | URL | Request, init?: RequestInit) => {
        // Only the lists of models may be fetched from vendors.
        if (init?.method !== 'GET') calls++;
        throw new Error('no upstream may be asked');
      },
    },
  };
}

test("the upper bound of a quote equals the request's hold, for every model and any request", async () => {
  const upstream = withProviders();
  const { post, call, pass } = await openTestGateway({ ...upstream.options, balance: '0' });
  const { data } = modelList.parse(await (await call('/v1/models')).json());
  const chats = data.filter(({ kind, pricing, simulated }) => kind === 'chat' && pricing && !simulated);
  const ids = chats.map((model) => model.id);
  expect(ids.length).toBeGreaterThan(8);
  const request = fc.record(
    {
      model: fc.constantFrom('router', ...ids),
      messages: fc.array(
        fc.record({ role: fc.constantFrom('user', 'system'), content: fc.string({ minLength: 1, maxLength: 400 }) }),
        { minLength: 1, maxLength: 4 },
      ),
      max_tokens: fc.integer({ min: 1, max: 4000 }),
    },
    { requiredKeys: ['model', 'messages'] },
  );
  await fc.assert(
    fc.asyncProperty(request, async (body) => {
      // The time moves past every rate limit.
      pass(60_000);
      const quoted = quote.parse(await (await post('/v1/quote', body)).json());
      const { error } = errorBody.parse(await (await post('/v1/chat/completions', body)).json());
      expect(error.code).toBe('insufficient_credits');
      expect(quoted.cost_usd.high).toBe(error.details?.needed_usd);
      expect(quoted.limits.map((limit) => limit.code)).toContain('insufficient_credits');
      expect(parseUsd(quoted.cost_usd.low)).toBeLessThanOrEqual(parseUsd(quoted.cost_usd.high));
      expect(quoted.prices_as_of).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(quoted.open_ended).toBe(!('max_tokens' in body));
    }),
    { numRuns: 120 },
  );
  expect(upstream.calls()).toBe(0);
});

test("a balance equal to the quote's upper bound is enough, and a nano-dollar less is not", async () => {
  const body = { model: 'sandbox/echo', prompt: 'Hello there', max_tokens: 50 };
  const first = await openTestGateway();
  const { cost_usd: cost } = quote.parse(await (await first.post('/v1/quote', body)).json());
  const high = parseUsd(cost.high);
  for (const [balance, codes, status] of [
    [high, [], 200],
    [high - 1n, ['insufficient_credits'], 402],
  ] as const) {
    const { post, gateway, account: owner } = await openTestGateway({ balance: '0' });
    await gateway.operator.grant({ accountId: owner.id, amount: nanoUsd(balance) });
    const quoted = quote.parse(await (await post('/v1/quote', body)).json());
    expect(quoted.limits.map((limit) => limit.code)).toEqual(codes);
    expect((await post('/chat', body)).status).toBe(status);
  }
});

test('a model whose own limit is used up is refused in a quote by name, and skipped by the router', async () => {
  const upstream = withProviders();
  const { post, call, gateway, account: owner } = await openTestGateway(upstream.options);
  const quoted = async (model: string) =>
    quote.parse(await (await post('/v1/quote', { model, messages: [{ role: 'user', content: 'Hello' }] })).json());
  const { provider, model } = await quoted('router');
  const id = `${provider}/${model}`;
  await gateway.operator.limitAccount(owner.id, { models: { [id]: nanoUsd(1n) } });
  expect((await quoted(id)).limits).toMatchObject([
    { name: 'account_model_month_usd', model: id, limit_value: '0.000000001' },
  ]);
  const other = await quoted('router');
  expect(`${other.provider}/${other.model}`).not.toBe(id);
  expect(other.limits).toEqual([]);
  const { limits } = usage.parse(await (await call('/v1/usage')).json());
  expect(limits).toContainEqual(expect.objectContaining({ name: 'account_model_month_usd', model: id, used: '0' }));
});

test("a quote holds and charges nothing, and the request's cost lies within its bounds", async () => {
  const { post, call } = await openTestGateway();
  const body = { model: 'sandbox/echo', prompt: 'What does this cost, all in all?' };
  const quoted = quote.parse(await (await post('/v1/quote', body)).json());
  const before = account.parse(await (await call('/account')).json());
  expect(before).toMatchObject({ balance: { held: '0', amount: '10' }, usage: { requests: 0 } });
  const { cost_usd: cost, tokens } = promptResponse.parse(await (await post('/chat', body)).json());
  expect(parseUsd(cost)).toBeGreaterThanOrEqual(parseUsd(quoted.cost_usd.low));
  expect(parseUsd(cost)).toBeLessThanOrEqual(parseUsd(quoted.cost_usd.high));
  expect(tokens.prompt_tokens).toBeLessThanOrEqual(quoted.tokens.prompt.high);
});

test("a quote with the caller's own key costs nothing", async () => {
  const upstream = withProviders();
  const { post } = await openTestGateway({ ...upstream.options, balance: '0' });
  const body = { provider: 'openai', prompt: 'hi', byoapi_key: 'a-key-of-my-own' };
  const text = await (await post('/v1/quote', body)).text();
  expect(quote.parse(JSON.parse(text))).toMatchObject({ byok: true, cost_usd: { low: '0', high: '0' }, limits: [] });
  expect(text).not.toContain('a-key-of-my-own');
  expect(upstream.calls()).toBe(0);
});

test("a quote with the caller's own key and a fee is that fee, and its upper bound is the hold", async () => {
  const upstream = withProviders();
  const { post } = await openTestGateway({ ...upstream.options, balance: '0', byokFeeBps: 100 });
  const body = { model: 'openai/gpt-4o-mini', prompt: 'hi', max_tokens: 100 };
  const whole = quote.parse(await (await post('/v1/quote', body)).json());
  const own = { ...body, byoapi_key: 'a-key-of-my-own' };
  const quoted = quote.parse(await (await post('/v1/quote', own)).json());
  const share = (usd: string) => (parseUsd(usd) + 99n) / 100n;
  expect(quoted).toMatchObject({ byok: true, limits: [{ code: 'insufficient_credits' }] });
  expect(parseUsd(quoted.cost_usd.high)).toBe(share(whole.cost_usd.high));
  expect(parseUsd(quoted.cost_usd.low)).toBe(share(whole.cost_usd.low));
  const { error } = errorBody.parse(await (await post('/chat', own)).json());
  expect(error).toMatchObject({ code: 'insufficient_credits', details: { needed_usd: quoted.cost_usd.high } });
  expect(upstream.calls()).toBe(0);
});

test('a quote refuses what the chat would refuse, explains the routing, and reports unknown fields', async () => {
  const { post } = await openTestGateway();
  expect(await errorCode(await post('/v1/quote', {}))).toBe('missing_required_parameter');
  expect(await errorCode(await post('/v1/quote', { prompt: 'hi', messages: [{ role: 'user', content: 'hi' }] }))).toBe(
    'unsupported_parameter',
  );
  expect(await errorCode(await post('/v1/quote', { prompt: 'hi', model: 'nothing' }))).toBe('model_not_found');
  const answer = await post(
    '/v1/quote',
    { prompt: 'hi', max_token: 1 },
    { headers: { 'x-portico-route-detail': 'full' } },
  );
  expect(answer.headers.get('x-portico-warnings')).toBe('unknown_parameter=max_token');
  const quoted = quote.parse(await answer.json());
  expect(quoted.routing).toMatchObject({ policy: 'balanced', attempts: [] });
  expect(quoted.routing.candidates?.length).toBeGreaterThan(1);
  expect(quoted.cost_usd.high).toBe(formatUsd(parseUsd(quoted.cost_usd.high)));
});

test('a quote names the spending limit of the key, or of the key that minted it, if that would refuse the request', async () => {
  const { post, gateway, account } = await openTestGateway();
  const body = { model: 'sandbox/echo', prompt: 'hi', max_tokens: 1000 };
  const { cost_usd } = quote.parse(await (await post('/v1/quote', body)).json());
  const exact = await gateway.operator.createKey({ accountId: account.id, spendLimit: parseUsd(cost_usd.high) });
  const limit = nanoUsd(parseUsd(cost_usd.high) - 1n);
  const short = await gateway.operator.createKey({ accountId: account.id, spendLimit: limit, scopes: allScopes });
  const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
  const limits = async (key: string) => quote.parse(await (await post('/v1/quote', body, as(key))).json()).limits;
  expect(await limits(exact.key)).toEqual([]);
  const refusal = { code: 'key_spend_limit_exceeded', needed_usd: cost_usd.high, available_usd: formatUsd(limit) };
  expect(await limits(short.key)).toMatchObject([refusal]);
  const minted = (await (await post('/v1/keys', {}, as(short.key))).json()) as { key: string };
  expect(await limits(minted.key)).toMatchObject([refusal]);
  const refused = (await (await post('/chat', body, as(minted.key))).json()) as { error: { code: string } };
  expect(refused.error.code).toBe('key_spend_limit_exceeded');
});
