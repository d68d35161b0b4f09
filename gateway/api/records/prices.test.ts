import { describe, expect, test } from 'vitest';
import { parseUsdPerToken } from '#shared/money.ts';
import { modelList } from '#shared/wire/model.ts';
import { priceHistory } from '#shared/wire/price.ts';
import { errorCode, openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { Secret } from '../../access/auth/secret.ts';
import book from '../../models/prices/data/listed-prices.json' with { type: 'json' };

const now = () => Date.UTC(2026, 10, 24, 12);

async function prices() {
  const opened = await openTestGateway({ now });
  const all = async () => modelList.parse(await (await opened.call('/v1/prices')).json()).data;
  const history = async (id: string) => priceHistory.parse(await (await opened.call(`/v1/prices/${id}`)).json()).data;
  return { ...opened, all, history };
}

describe('the prices', () => {
  test('prices are shown for every provider without a key, with their day and source', async () => {
    const { all } = await prices();
    const models = (await all()).filter(({ simulated }) => !simulated);
    const providers = new Set(models.map(({ provider }) => provider));
    for (const id of ['openai', 'anthropic', 'google', 'mistral', 'xai', 'groq', 'together', 'openrouter'])
      expect(providers).toContain(id);
    expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
    for (const model of models) {
      expect(model.status, model.id).toMatch(/^(no_credential|disabled)$/);
      expect(model.pricing?.as_of, model.id).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(model.pricing?.source, model.id).toBeTruthy();
    }
  });

  test('prices are those of the reviewed data, to the last digit', async () => {
    const { all } = await prices();
    const priced = new Map((await all()).map(({ id, pricing }) => [id, pricing]));
    const shown = book.models.filter((model) => 'name' in model);
    expect(shown.length).toBeGreaterThan(500);
    for (const { id, rows } of shown) {
      const row = rows.findLast(({ from }) => from === null || from <= '2026-11-24');
      expect(parseUsdPerToken(priced.get(id)?.prompt ?? '0'), id).toBe(BigInt(Math.round(Number(row?.input) * 1e6)));
      expect(parseUsdPerToken(priced.get(id)?.completion ?? '0'), id).toBe(
        BigInt(Math.round(Number(row?.output) * 1e6)),
      );
    }
  });

  test("reviewed prices are replaced by the provider's own list once it has a key, and are not in the model list", async () => {
    const { all, gateway, call } = await prices();
    const listed = modelList.parse(await (await call('/v1/models')).json()).data;
    expect(listed.some(({ provider }) => provider === 'groq')).toBe(false);
    gateway.setProvider('groq', { apiKey: new Secret('gsk-test'), baseUrl: 'http://127.0.0.1:9/v1' });
    expect((await all()).some(({ provider }) => provider === 'groq')).toBe(false);
  });

  test('priced models claim no ability that the data lacks', async () => {
    const { all } = await prices();
    const [unknown] = book.models.filter((model) => 'name' in model && !('abilities' in model));
    const model = (await all()).find(({ id }) => id === unknown?.id);
    expect(model?.capabilities).toEqual(['streaming']);
  });
});

describe('the history of a price', () => {
  test('the price history has every change, even one in the future', async () => {
    const { history } = await prices();
    const rows = await history('google/gemini-3.6-flash');
    expect(rows.map(({ from, pricing }) => [from, pricing?.prompt])).toEqual([
      [null, '0.00000075'],
      ['2027-01-01', '0.0000015'],
    ]);
  });

  test("the price history has the operator's own prices, and the book's price again after they end", async () => {
    const { history, gateway } = await prices();
    const model = 'openai/gpt-5.4-mini';
    const [before] = await history(model);
    const price = { input: '0.6', output: '3.6', cache_read: null, cache_write: null, tiers: [] };
    await gateway.operator.overridePrice({ model, from: '2026-12-01', price });
    await gateway.operator.overridePrice({ model, from: '2027-01-01', price: null });
    const rows = await history(model);
    expect(rows.map(({ from, pricing }) => [from, pricing?.prompt, pricing?.source])).toEqual([
      [null, before?.pricing?.prompt, before?.pricing?.source],
      ['2026-12-01', '0.0000006', 'override'],
      ['2027-01-01', before?.pricing?.prompt, before?.pricing?.source],
    ]);
  });

  test('the price history of an unknown model is not found', async () => {
    const { call } = await prices();
    const response = await call('/v1/prices/nobody/nothing');
    expect([response.status, await errorCode(response)]).toEqual([404, 'model_not_found']);
  });
});
