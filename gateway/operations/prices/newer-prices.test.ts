import { describe, expect, test } from 'vitest';
import {
  bookModel,
  bookPrice,
  changedPrice,
  refreshDay,
  refreshed,
  scaledPrice,
} from '../../../tests/gateway-doubles/newer-book.ts';
import type { PriceFields } from '../../models/prices/price-document.ts';
import type { AddedPrice } from '../../models/prices/price-rows.ts';
import { shippedBook } from '../../models/prices/shipped-book.ts';
import { newerPrices } from './newer-prices.ts';

/** Which price changes are plausible, compared with the shipped book. */

const today = refreshDay;
const id = 'openai/gpt-5.4-mini';
const other = 'openai/gpt-5.4-nano';
const changed = (change: Partial<PriceFields>) => changedPrice(change, id);

describe('a plausible change', () => {
  test.each<[string, Partial<PriceFields>]>([
    ['is half the price', { input: '0.375', output: '2.25', cache_read: '0.0375' }],
    ['is twice the price', { input: '1.5', output: '9', cache_read: '0.15' }],
    ['is ten times the price', { input: '7.5' }],
    ['is a tenth of the price', { output: '0.45' }],
    [
      'adds a tier',
      { tiers: [{ above: 272_000, input: '1.5', output: '6.75', cache_read: '0.15', cache_write: null }] },
    ],
    ['adds a price of thinking', { reasoning: '9' }],
    ['adds a price of speech, 16 times that of text', { input_audio: '12' }],
    ['adds a price of images, 20 times that of text', { output_image: '90' }],
    ['adds a cache that is written at 125 %', { cache_write: '0.9375', cache_write_1h: '1.5' }],
    ['adds a small fee for each request', { request: '5000' }],
    ['takes the price of cached input away', { cache_read: null }],
  ])('%s', (_name, change) => {
    const { rows, refused } = changed(change);
    expect(refused).toEqual([]);
    expect(rows).toMatchObject([{ model: id, from: today, price: change }]);
  });

  test.each(['0.75', '0.375', '0.1875', '0.075', '0.015', '0.0062', '0.9375'])(
    'a newer edition may add a price of cached input, $%s where input is $0.75',
    (cacheRead) => {
      const without = { ...bookModel(id), rows: [{ from: null, ...bookPrice(id), cache_read: null }] };
      const book = { ...shippedBook, models: [without] };
      const document = {
        ...book,
        as_of: today,
        models: [{ ...without, rows: [{ ...without.rows[0], cache_read: cacheRead }] }],
      };
      const { rows, refused } = newerPrices(document as never, { book, added: [], newest: null, today });
      expect({ rows: rows.length, refused }).toEqual({ rows: 1, refused: [] });
    },
  );

  test('a newer edition may halve or double all prices of every model in the book', () => {
    for (const factor of [0.5, 2]) {
      const models = Object.fromEntries(
        shippedBook.models.map((model) => [model.id, model.rows.map((row) => scaledPrice(row, () => factor))]),
      );
      const { rows, refused } = refreshed(models);
      expect(refused).toEqual([]);
      expect(new Set(rows.map(({ model }) => model)).size).toBe(shippedBook.models.length);
    }
  });

  test('a newer edition changes nothing when only the notation differs', () => {
    expect(changed({ input: '0.750', request: '0' })).toEqual({ rows: [], refused: [], ignored: [] });
  });
});

test.each(['override', 'configuration'])(
  'an edition whose source is "%s" is refused, because that marks own prices',
  (source) => {
    const document = { as_of: today, source, models: [bookModel(id)] };
    expect(() => newerPrices(document, { book: shippedBook, added: [], newest: null, today })).toThrow(
      /names "\w+" as its source/,
    );
  },
);

describe('an implausible change', () => {
  const tier = { above: 1, input: '0.75', output: '4.5', cache_read: '0.075', cache_write: null };
  test.each<[string, Partial<PriceFields>, RegExp]>([
    ['input', { input: '7.6' }, /input would go from \$0\.75 to \$7\.6 per million tokens/],
    ['output', { output: '0.44' }, /output would go from \$4\.5 to \$0\.44 per million/],
    ['a fee', { request: '999000000' }, /request would go from \$0 to \$999 a request/],
    ['a fee that ten short chats cost', { request: '15100' }, /a short chat would go from \$0\.0015 to \$0\.0166/],
    ['images', { output_image: '999000000' }, /output_image would go from \$4\.5 to \$999000000 per million/],
    ['images, a little', { output_image: '181' }, /output_image would go from \$4\.5 to \$181 /],
    ['cached input', { cache_read: '750' }, /cache_read would go from \$0\.075 to \$750 per million/],
    ['writing a cache', { cache_write: '7.6' }, /cache_write would go from \$0\.75 to \$7\.6 /],
    ['writing a cache for an hour', { cache_write_1h: '16' }, /cache_write_1h would go from \$1\.5 to \$16 /],
    ['thinking', { reasoning: '4500' }, /reasoning would go from \$4\.5 to \$4500 /],
    ['speech', { input_audio: '31' }, /input_audio would go from \$0\.75 to \$31 /],
    ['cached input that is free', { cache_read: '0' }, /cache_read would go from \$0\.075 to \$0 /],
    ['speech that is free', { input_audio: '0' }, /input_audio would go from \$0\.75 to \$0 /],
    ['everything that is free', { input: '0', output: '0', cache_read: '0' }, /input would go from \$0\.75 to \$0 /],
    [
      'a tier that is free',
      { tiers: [{ ...tier, input: '0' }] },
      /input of a prompt of 2 tokens would go from \$0\.75 to \$0 /,
    ],
    [
      'a tier',
      { tiers: [{ ...tier, output: '4500' }] },
      /output of a prompt of 2 tokens would go from \$4\.5 to \$4500 /,
    ],
    [
      'a tier of cached input',
      { tiers: [{ ...tier, above: 272_000, cache_read: '75' }] },
      /cache_read of a prompt of 272,001 tokens/,
    ],
    ['tiers in disorder', { tiers: [{ ...tier, above: 9 }, tier] }, /its tiers are not in the order of their lengths/],
    ['tiers of one length', { tiers: [tier, tier] }, /its tiers are not in the order/],
  ])('a model keeps its price when the new one is implausible, and the others get theirs: %s', (_name, change, why) => {
    const { rows, refused } = refreshed({
      [id]: [{ from: null, ...bookPrice(id), ...change }],
      [other]: [{ from: null, ...bookPrice(other), input: '0.19' }],
    });
    expect(refused).toEqual([{ model: id, why: expect.stringMatching(why) }]);
    expect(refused[0]?.why).toMatch(/^openai\/gpt-5\.4-mini keeps its price, because .*"gateway prices set"\.$/);
    expect(rows).toMatchObject([{ model: other, price: { input: '0.19' } }]);
  });

  test('an implausible change on a later day also refuses the change of today', () => {
    const rows = [
      { from: null, ...bookPrice(id), input: '0.8' },
      { from: '2026-12-24', ...bookPrice(id), input: '80' },
    ];
    const result = refreshed({ [id]: rows });
    expect(result.rows).toEqual([]);
    expect(result.refused[0]?.why).toMatch(/because on 2026-12-24 input would go from \$0\.75 to \$80 /);
  });

  test('an implausible change is refused when it is split into many small steps, in one document or in many', () => {
    const steps = ['3', '12', '48'].map((input, index) => ({
      from: `2026-12-0${index + 1}`,
      ...bookPrice(id),
      input,
    }));
    expect(refreshed({ [id]: [{ from: null, ...bookPrice(id) }, ...steps] }).refused).toHaveLength(1);
    const added: AddedPrice[] = [];
    for (const [index, input] of ['3', '7', '12'].entries()) {
      const day = `2026-12-0${index + 1}`;
      added.push(...refreshed({ [id]: [{ from: null, ...bookPrice(id), input }] }, added, day).rows);
    }
    expect(added.map(({ price }) => price?.input)).toEqual(['3', '7']);
  });

  test('a price above $1,000 per million tokens is implausible for a model without one', () => {
    const later = { ...bookModel(id), rows: [{ from: '2027-01-01', ...bookPrice(id) }] };
    const book = { ...shippedBook, models: [later] };
    const with_ = (change: Partial<PriceFields>) =>
      newerPrices(
        { ...book, as_of: today, models: [{ ...later, rows: [{ from: null, ...bookPrice(id), ...change }] }] },
        { book, added: [], newest: null, today },
      ).refused.map(({ why }) => why);
    expect(with_({})).toEqual([]);
    expect(with_({ input: '1001', cache_read: null, output: '1001' })[0]).toMatch(/input would go to \$1001 /);
    expect(with_({ cache_read: '76' })[0]).toMatch(/cache_read would go to \$76 /);
  });
});
