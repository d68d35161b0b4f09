import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatUsd, formatUsdPerToken, maxNano, nanoUsd, picoUsd } from '#shared/money.ts';
import { openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';

const largest = formatUsd(maxNano);
const tooLarge = formatUsd(nanoUsd(maxNano + 1n));
const messages = [{ role: 'user', content: 'hi' }];
const ask = { model: 'sandbox/echo', messages };

async function refusal(response: Response) {
  const { error } = (await response.json()) as { error?: { code: string; param: string | null } };
  return [response.status, error?.code, error?.param];
}

describe('an amount of money in a request', () => {
  test('is accepted up to the largest amount of the ledger, and one billionth more is refused with the field’s name', async () => {
    const { post } = await openTestGateway({ plan: 'enterprise' });
    const kept = (await (await post('/v1/keys', { spend_limit_usd: largest })).json()) as { id: string };
    expect(kept).toMatchObject({ spend_limit_usd: largest });
    const change = (body: object) => post(`/v1/keys/${kept.id}`, body, { method: 'PATCH' });
    const route = (max_cost_usd: string) => ({ ...ask, route: { max_cost_usd } });
    expect((await change({ spend_limit_usd: largest })).status).toBe(200);
    expect((await post('/v1/chat/completions', route(largest))).status).toBe(200);
    for (const amount of [tooLarge, '9'.repeat(19), '9'.repeat(400), `${'0'.repeat(19)}1`]) {
      const refused = [400, 'invalid_value', 'spend_limit_usd'];
      expect(await refusal(await post('/v1/keys', { spend_limit_usd: amount }))).toEqual(refused);
      expect(await refusal(await change({ spend_limit_usd: amount }))).toEqual(refused);
      for (const path of ['/v1/chat/completions', '/v1/quote']) {
        expect(await refusal(await post(path, route(amount)))).toEqual([400, 'invalid_value', 'route.max_cost_usd']);
      }
    }
  });

  test('as a price filter is accepted up to the largest possible price', async () => {
    const { call } = await openTestGateway();
    const most = formatUsdPerToken(picoUsd(maxNano));
    const above = formatUsdPerToken(picoUsd(maxNano + 1n));
    const refused = [400, 'invalid_query_parameter', 'max_price'];
    expect((await call(`/v1/models?max_price=${most}`)).status).toBe(200);
    expect(await refusal(await call(`/v1/models?max_price=${above}`))).toEqual(refused);
  });

  test('that would overflow a balance is refused, and nothing is lost', async () => {
    const { gateway, account } = await openTestGateway({ balance: '0' });
    const amount = nanoUsd(10n ** 18n);
    for (let times = 0; times < 9; times += 1) await gateway.operator.grant({ accountId: account.id, amount });
    await expect(gateway.operator.grant({ accountId: account.id, amount })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    expect(await gateway.operator.listAccounts()).toMatchObject([{ balance: 9n * amount }]);
  });
});

describe('a number in a request', () => {
  const odd = fc.oneof(
    fc.double(),
    fc.maxSafeInteger(),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(Number),
    fc.constantFrom(0, -0, 1, -1, 1.5, 2 ** 31, 2 ** 53, 2 ** 63, 1e308, 253_402_300_799, 253_402_300_800, 9e15),
  );
  const text = fc.oneof(
    fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
    fc.double().map(String),
    fc.stringMatching(/^-?\d{0,25}\.?\d{0,25}$/),
  );
  const value = fc.oneof(odd, text, fc.constantFrom(null, true, [], {}));
  const oneOf = (...names: string[]) => fc.dictionary(fc.constantFrom(...names), value, { minKeys: 1, maxKeys: 3 });
  const chat = oneOf(
    ...['temperature', 'top_p', 'max_tokens', 'max_completion_tokens', 'seed', 'n', 'frequency_penalty', 'stop'],
    ...['presence_penalty', 'top_logprobs', 'logit_bias', 'stream_options', 'metadata', 'session_id'],
  );
  const route = oneOf('max_cost_usd', 'max_attempts', 'policy').map((controls) => ({ route: controls }));
  const key = oneOf('spend_limit_usd', 'expires_at', 'label', 'scopes');
  const query = fc.record({
    path: fc.constantFrom('/v1/usage', '/v1/requests', '/credits', '/v1/keys', '/models', '/v1/models'),
    asked: fc.dictionary(
      fc.constantFrom('limit', 'start', 'end', 'min_context', 'max_price', 'after', 'bucket'),
      fc.oneof(text, odd.map(String)),
    ),
  });

  test('gives an answer or a clear refusal in every field, never an internal error', async () => {
    const { gateway, account, post, call, entries, pass } = await openTestGateway({
      plan: 'enterprise',
      balance: '100',
    });
    const other = await gateway.operator.createKey({ accountId: account.id });
    const request = fc.oneof(
      fc.tuple(fc.constantFrom('/v1/chat/completions', '/v1/quote'), fc.oneof(chat, route)).map(
        ([path, fields]) =>
          () =>
            post(path, { ...ask, ...fields }),
      ),
      chat.map((fields) => () => post('/chat', { model: 'sandbox/echo', prompt: 'hi', ...fields })),
      key.map((fields) => () => post('/v1/keys', fields)),
      key.map((fields) => () => post(`/v1/keys/${other.id}`, fields, { method: 'PATCH' })),
      query.map(
        ({ path, asked }) =>
          () =>
            call(`${path}?${new URLSearchParams(asked)}`),
      ),
    );
    await fc.assert(
      fc.asyncProperty(request, async (send) => {
        pass(1_000);
        const response = await send();
        await response.arrayBuffer();
        expect(response.status).toBeLessThan(500);
      }),
      { numRuns: 500 },
    );
    expect(entries.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
