import { calcPrice } from '@pydantic/genai-prices';
import { describe, expect, test } from 'vitest';
import { formatUsdPerToken } from '#shared/money.ts';
import { getCost, noTokens } from '#shared/price.ts';
import { shippedBook } from '../prices/shipped-book.ts';
import { buildCatalogue, liveCatalogue } from './build-catalogue.ts';
import type { CatalogueModel } from './catalogue.ts';

const today = '2026-11-21';
const { models } = buildCatalogue(today, []);

describe('the catalogue', () => {
  test('the catalogue has every model once, priced, with limits, quality and a speed', () => {
    expect(new Set(models.map((model) => model.id)).size).toBe(models.length);
    for (const model of models) {
      expect(model.id).toBe(`${model.provider}/${model.model}`);
      expect(model.price?.prompt, model.id).toBeGreaterThan(0n);
      expect(model.price?.completion, model.id).toBeGreaterThan(0n);
      expect(model.contextLength, model.id).toBeGreaterThan(model.maxOutputTokens ?? Number.POSITIVE_INFINITY);
      expect(model.quality, model.id).toBeGreaterThan(0);
      expect(model.quality, model.id).toBeLessThanOrEqual(1);
      expect(model.priceAsOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    }
  });

  // A prompt of exactly 272,000 tokens is left out: the source counts it as more than 272K, which the vendor's page
  // does not.
  test.each([0, 1, 100_000, 200_000, 200_001, 271_999, 272_001, 900_000])(
    'the catalogue computes the same cost as its source for a prompt of %i tokens, to the nano-dollar',
    (promptTokens) => {
      // Prices from a vendor's own page have no second source to compare with.
      for (const model of models.filter(({ priceSource }) => priceSource === shippedBook.source)) {
        const usage = { ...noTokens, promptTokens, completionTokens: 1234, cachedTokens: Math.floor(promptTokens / 3) };
        const theirs = calcPrice(
          { input_tokens: promptTokens, cache_read_tokens: usage.cachedTokens, output_tokens: 1234 },
          model.model,
          { providerId: model.provider, timestamp: new Date(`${today}T12:00:00Z`) },
        );
        const ours = Number(model.price && getCost(model.price, usage)) / 1e9;
        expect(Math.abs(ours - (theirs?.total_price ?? Number.NaN)), model.id).toBeLessThan(2e-9);
      }
    },
  );

  test('the catalogue uses the price row of the day', () => {
    const promptOn = (day: string) =>
      buildCatalogue(day, []).models.find((model) => model.id === 'google/gemini-3.6-flash')?.price?.prompt ?? null;
    const text = (day: string) => formatUsdPerToken(promptOn(day) ?? (0n as never));
    expect(text('2026-12-31')).toBe('0.00000075');
    expect(text('2027-01-01')).toBe('0.0000015');
  });

  test('the catalogue changes prices at midnight UTC without a restart, and is built once a day', () => {
    let time = Date.UTC(2026, 11, 31, 23, 59, 59);
    const catalogue = liveCatalogue(
      () => time,
      () => [],
    );
    const first = catalogue();
    expect(catalogue()).toBe(first);
    time += 1000;
    expect(catalogue()).not.toBe(first);
  });

  test('the catalogue contains the models that providers list themselves', () => {
    const listed: CatalogueModel = { ...(models[0] as CatalogueModel), id: 'openai-compatible/qwen', price: null };
    expect(buildCatalogue(today, [listed]).models.at(-1)).toBe(listed);
  });
});
