import { describe, expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { modelList } from '#shared/wire/model.ts';
import { requestList } from '#shared/wire/request-record.ts';
import { openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../../../tests/gateway-doubles/recorded-streams.ts';
import { testModel } from '../../../tests/gateway-doubles/test-models.ts';
import { openUpstream, streamReply } from '../../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../../access/auth/secret.ts';
import hourly from '../prices/data/hourly-prices.json' with { type: 'json' };
import { buildCatalogue, liveCatalogue } from './build-catalogue.ts';
import { hourlyBook, listedRows } from './listed-prices.ts';

/** DeepSeek charges twice as much on weekdays from 01:00 to 04:00 and from 06:00 to 10:00 UTC. */

const flash = 'deepseek/deepseek-flash';
const priceAt = (day: string, hour: number, id = flash) =>
  buildCatalogue(day, [], [], hour).offered.find((model) => model.id === id);

describe('an hourly price', () => {
  test('an hourly price is higher at the peak hours of weekdays and at no other time', () => {
    const dear = (day: string) =>
      Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => priceAt(day, hour)?.price?.prompt === 300_000n);
    const peak = [1, 2, 3, 6, 7, 8, 9];
    for (const day of ['2026-11-23', '2026-11-24', '2026-11-25', '2026-11-26', '2026-11-27'])
      expect(dear(day)).toEqual(peak);
    for (const day of ['2026-11-28', '2026-11-29']) expect(dear(day)).toEqual([]);
  });

  test('an hourly price names its hours and its source', () => {
    expect(priceAt('2026-11-27', 3)).toMatchObject({
      price: { prompt: 300_000n, completion: 1_200_000n, cacheRead: 6_000n },
      priceAsOf: '2026-11-27',
      priceSource: 'stored copy of api-docs.deepseek.com/quick_start/pricing, peak hours',
    });
    expect(priceAt('2026-11-27', 4)).toMatchObject({
      price: { prompt: 150_000n, completion: 600_000n, cacheRead: 3_000n },
      priceSource: 'stored copy of api-docs.deepseek.com/quick_start/pricing, off-peak hours',
    });
  });

  test('an hourly price changes in a running gateway, which rebuilds its catalogue only then', () => {
    let time = Date.UTC(2026, 10, 27, 0, 30);
    const catalogue = liveCatalogue(
      () => time,
      () => [],
    );
    const seen = new Set<object>();
    const prompts = Array.from({ length: 24 }, () => {
      const current = catalogue();
      seen.add(current);
      time += 3_600_000;
      return current.offered.find(({ id }) => id === flash)?.price?.prompt;
    });
    expect(prompts.filter((prompt) => prompt === 300_000n)).toHaveLength(7);
    expect(seen.size).toBe(5);
  });

  test("an hourly price exists for the vendor's current models and for the old names that it still accepts", () => {
    const offered = buildCatalogue('2026-11-27', []).offered.filter(({ provider }) => provider === 'deepseek');
    expect(offered.map(({ id }) => id)).toEqual([flash, 'deepseek/deepseek-v4-pro']);
    const { priced } = buildCatalogue('2026-11-27', []);
    const listed = (model: string) => ({ ...testModel(`deepseek/${model}`), price: null });
    for (const model of ['deepseek-v4-flash', 'deepseek-v4-flash-vision-exp'])
      expect(priced(listed(model)).price?.prompt).toBe(150_000n);
    for (const model of ['deepseek-v3.2', 'deepseek-chat', 'deepseek-reasoner'])
      expect(priced(listed(model)).price).toBeNull();
  });

  test('a model with an hourly price has no price history by days', () => {
    expect(listedRows(flash)).toBeNull();
    expect(listedRows('mistral/codestral-2508')).not.toBeNull();
  });

  test('the data of hourly prices matches its schema, with higher prices at peak hours', () => {
    const { models } = hourlyBook.parse(hourly);
    expect(models).toEqual(hourly.models);
    for (const { rows, peak_rows: peak } of models)
      expect(Number(peak[0]?.input)).toBeGreaterThan(Number(rows[0]?.input));
  });
});

test('a request costs the price of the hour in which it begins, and its record names that price', async () => {
  const list = { object: 'list', data: [{ id: 'deepseek-flash', object: 'model', owned_by: 'deepseek' }] };
  const answer = streamReply(recordedStreams.openai.join(''));
  const upstream = await openUpstream((seen, response) =>
    seen.path.endsWith('/models') ? void response.end(JSON.stringify(list)) : answer(seen, response),
  );
  onTestFinished(() => upstream.close());
  const { call, post, pass } = await openTestGateway({
    providers: { deepseek: { apiKey: new Secret('platform-key'), baseUrl: upstream.origin } },
  });
  const ask = async () => {
    const messages = [{ role: 'user', content: 'hello' }];
    expect((await post('/v1/chat/completions', { model: flash, messages })).status).toBe(200);
    const [newest] = requestList.parse(await (await call('/v1/requests')).json()).data;
    return { cost: parseUsd(newest?.cost_usd ?? '0'), source: newest?.price?.source };
  };
  const listed = async () => modelList.parse(await (await call('/v1/models')).json()).data.map(({ id }) => id);
  await expect.poll(listed).toContain(flash);
  const quiet = await ask();
  // The time is now one o'clock on Monday, 61 hours after Friday noon.
  pass(61 * 60 * 60 * 1000);
  const peak = await ask();
  expect(quiet.source).toMatch(/, off-peak hours$/);
  expect(peak.source).toMatch(/, peak hours$/);
  expect(quiet.cost).toBeGreaterThan(0n);
  expect(peak.cost).toBe(2n * quiet.cost);
});
