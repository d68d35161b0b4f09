import { type BookModel, type PriceFields, type PriceRow, rowOn } from '../../gateway/models/prices/price-document.ts';
import type { AddedPrice } from '../../gateway/models/prices/price-rows.ts';
import { shippedBook } from '../../gateway/models/prices/shipped-book.ts';
import { newerPrices } from '../../gateway/operations/prices/newer-prices.ts';

/** Newer editions of the shipped price book, as tests change them. */

export const refreshDay = '2026-11-28';
export const bookIds = shippedBook.models.map((model) => model.id);

export const rateNames = [
  'input',
  'output',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'reasoning',
  'input_audio',
  'output_image',
] as const;

export function bookModel(id: string): BookModel {
  const model = shippedBook.models.find((candidate) => candidate.id === id);
  if (!model) throw new Error(`no ${id} in the book`);
  return model;
}

export function bookPrice(id: string): PriceFields {
  const row = rowOn(bookModel(id).rows, refreshDay);
  if (!row) throw new Error(`no price of ${id}`);
  const { from: _from, ...fields } = row;
  return fields;
}

/** Returns the price changes that an edition with these rows brings. */
export function refreshed(
  models: Readonly<Record<string, PriceRow[]>>,
  added: readonly AddedPrice[] = [],
  day = refreshDay,
) {
  const document = {
    as_of: day,
    source: 'prices.example',
    models: Object.entries(models).map(([id, rows]) => ({ ...bookModel(id), rows })),
  };
  return newerPrices(document, { book: shippedBook, added, newest: null, today: day });
}

/** Returns the price changes that an edition brings in which one model's price differs in this way. */
export const changedPrice = (change: Partial<PriceFields>, id: string) =>
  refreshed({ [id]: [{ from: null, ...bookPrice(id), ...change }] });

/** Multiplies each existing rate by a factor of its own. */
export function scaledPrice<Fields extends PriceFields>(fields: Fields, getFactor: (rate: string) => number): Fields {
  const scaled = <Rates extends object>(rates: Rates): Rates =>
    Object.fromEntries(
      Object.entries(rates).map(([name, value]) => {
        const isRate = rateNames.some((rate) => rate === name) && typeof value === 'string';
        return [name, isRate ? (Number(value) * getFactor(name)).toFixed(6) : value];
      }),
    ) as Rates;
  return { ...scaled(fields), tiers: fields.tiers.map(scaled) };
}
