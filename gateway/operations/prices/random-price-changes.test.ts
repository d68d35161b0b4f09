import fc from 'fast-check';
import { expect, test } from 'vitest';
import { costLines, noTokens, type Price, type TokenUsage } from '#shared/price.ts';
import { bookIds, bookPrice, changedPrice, rateNames, scaledPrice } from '../../../tests/gateway-doubles/newer-book.ts';
import { figure } from '../../../tests/support/figures.ts';
import hourly from '../../models/prices/data/hourly-prices.json' with { type: 'json' };
import listed from '../../models/prices/data/listed-prices.json' with { type: 'json' };
import { type PriceFields, parsePricing, priceFields } from '../../models/prices/price-document.ts';
import { shippedBook } from '../../models/prices/shipped-book.ts';
import { faultOfChange } from './price-changes.ts';

/** Random values in every field of a newer edition: whatever passes the check must not change any cost beyond bounds. */

type Rate = (typeof rateNames)[number];

test('every field of a price is varied here', () => {
  expect(Object.keys(priceFields.shape).toSorted()).toEqual([...rateNames, 'request', 'tiers'].toSorted());
  expect(Object.keys(priceFields.shape.tiers.element.shape).toSorted()).toEqual([...rateNames, 'above'].toSorted());
});

/** Returns what tokens of a kind cost, in USD per million, for a price without tiers. */
const costOfRate = (fields: PriceFields, rate: Rate): number =>
  Number(fields[rate] ?? (rate === 'reasoning' || rate === 'output_image' ? fields.output : fields.input));

test('multiplying any rate by a thousand, or making it free, is refused for every model', () => {
  for (const id of bookIds) {
    for (const rate of rateNames) {
      for (const value of [(costOfRate(bookPrice(id), rate) * 1000).toFixed(6), '0']) {
        const { rows, refused } = changedPrice({ [rate]: value }, id);
        expect({ id, rate, value, rows, refused: refused.length }).toMatchObject({ rows: [], refused: 1 });
      }
    }
  }
});

const factor = fc.oneof(
  { weight: 8, arbitrary: fc.double({ min: -1, max: 1, noNaN: true }).map((power) => 10 ** power) },
  { weight: 1, arbitrary: fc.double({ min: -4, max: 7, noNaN: true }).map((power) => 10 ** power) },
  { weight: 1, arbitrary: fc.constantFrom(0, null) },
);
/** Factors for some rates. Null removes the rate. */
const mutation = fc.dictionary(fc.constantFrom(...rateNames), factor, { maxKeys: 4 });
const change = fc.record(
  {
    rates: mutation,
    fee: fc.oneof(fc.constantFrom('0', '1', '20000', '999000000'), fc.nat(10_000).map(String)),
    tiers: fc.array(fc.tuple(fc.integer({ min: 1, max: 300_000 }), mutation), { maxLength: 3 }),
  },
  { requiredKeys: ['rates'] },
);

function mutated(before: PriceFields, factors: Partial<Record<string, number | null>>) {
  const rates = Object.entries(factors).flatMap(([name, by]) => {
    if (by === undefined) return [];
    if (by === null) return name === 'input' || name === 'output' ? [] : [[name, null]];
    return [[name, Math.min(costOfRate(before, name as Rate) * by, 999_999_999).toFixed(6)]];
  });
  const { request: _request, tiers: _tiers, ...own } = before;
  return { ...own, ...Object.fromEntries(rates) } as Omit<PriceFields, 'tiers' | 'request'>;
}

const usage: fc.Arbitrary<TokenUsage> = fc
  .record({
    cached: fc.nat(150_000),
    written: fc.nat(50_000),
    hour: fc.nat(50_000),
    audio: fc.nat(50_000),
    text: fc.integer({ min: 200, max: 150_000 }),
    answer: fc.integer({ min: 300, max: 50_000 }),
    thought: fc.nat(50_000),
    image: fc.nat(50_000),
  })
  .map(({ cached, written, hour, audio, text, answer, thought, image }) => ({
    ...noTokens,
    promptTokens: cached + written + hour + audio + text,
    cachedTokens: cached,
    cacheWriteTokens: written + hour,
    cacheWriteHourTokens: hour,
    audioTokens: audio,
    completionTokens: answer + thought + image,
    reasoningTokens: thought,
    imageTokens: image,
  }));

const sum = (price: Price, used: TokenUsage) => costLines(price, used).reduce((all, { pico }) => all + pico, 0n);

test('no accepted change makes a cost free, or higher or lower than a new rate allows', () => {
  let [tried, accepted] = [0, 0];
  const usages = fc.array(usage, { minLength: 5, maxLength: 5 });
  const property = fc.property(fc.constantFrom(...bookIds), change, usages, (id, { rates, fee, tiers }, requests) => {
    const before = bookPrice(id);
    const after: PriceFields = {
      ...mutated(before, rates),
      ...(fee === undefined ? {} : { request: fee }),
      tiers: tiers
        ? tiers
            .toSorted(([low], [high]) => low - high)
            .map(([above, factors]) => ({ above, ...mutated(before, factors) }))
        : before.tiers,
    };
    tried += 1;
    if (changedPrice(after, id).refused.length > 0) return;
    accepted += 1;
    const [old, now] = [parsePricing(before, '', ''), parsePricing(after, '', '')];
    for (const used of requests) {
      const [was, is] = [sum(old, used), sum(now, used) - now.request];
      expect(is > 0n && is <= was * 40n && was <= is * 200n).toBe(true);
      // At most ten times, when no new price of audio, images or cached input can count.
      const plain = { ...used, cachedTokens: 0, audioTokens: 0, imageTokens: 0 };
      const [wasPlain, isPlain] = [sum(old, plain), sum(now, plain) - now.request];
      expect(isPlain <= wasPlain * 10n && wasPlain <= isPlain * 10n && now.request < wasPlain * 10n).toBe(true);
    }
  });
  fc.assert(property, { numRuns: 10_000 });
  expect(accepted).toBeGreaterThan(1_000);
  figure(
    'prices from elsewhere',
    `${tried} random changes of price rows, ${accepted} believed, none beyond its bounds`,
  );
});

test('every shipped price is plausible as a first one, and each of its changes as a change', () => {
  const models = [...shippedBook.models, ...listed.models, ...hourly.models];
  let changes = 0;
  const peaks = new Map(hourly.models.map(({ id, peak_rows: [first] }) => [id, first]));
  for (const { id, rows } of models) {
    const dated: (PriceFields | null)[] = [null, ...rows.map(({ from: _from, ...fields }) => fields)];
    for (const [index, after] of dated.entries()) {
      if (after) expect([id, faultOfChange(dated[index - 1] ?? null, after)]).toEqual([id, null]);
    }
    const peak = peaks.get(id);
    if (peak && rows[0]) expect([id, faultOfChange(rows[0], peak)]).toEqual([id, null]);
    changes += rows.length;
  }
  expect(changes).toBeGreaterThan(700);
});

test('any rate may be halved or doubled', () => {
  const factors = fc.array(fc.double({ min: 0.5, max: 2, noNaN: true }), { minLength: 8, maxLength: 8 });
  const property = fc.property(fc.constantFrom(...bookIds), factors, (id, by) => {
    const after = scaledPrice(bookPrice(id), (rate) => by[rateNames.indexOf(rate as Rate)] ?? 1);
    expect(changedPrice(after, id).refused).toEqual([]);
  });
  fc.assert(property, { numRuns: 1_000 });
});
