import type { Price } from '#shared/price.ts';
import { type PriceRow, parsePricing, rowOn } from './price-document.ts';
import { priceToJson } from './price-json.ts';
import { type AddedPrice, pricedOn } from './price-rows.ts';

/** What is known of a model's price without the rows that an operator added. */
export interface BookPrices {
  /** `provider/model`. */
  readonly id: string;
  readonly rows: readonly PriceRow[];
  /** Day on which the rows were published, `YYYY-MM-DD`. */
  readonly asOf: string;
  readonly source: string;
}

/** A price from a day on, `YYYY-MM-DD`, UTC; `from: null`: since before anybody wrote it down. */
export interface DatedPrice {
  readonly from: string | null;
  readonly price: Price | null;
}

/**
 * What a model was, is and will be charged by, oldest first: on each day the price that `pricedOn` finds. Days on which nothing
 * changes are left out. `bookDay`: the day of the shipped book, before which refreshed rows no longer count.
 */
export function priceHistory(book: BookPrices, added: readonly AddedPrice[], bookDay: string): DatedPrice[] {
  const own = added.filter(({ model }) => model === book.id);
  const days = [...book.rows, ...own].flatMap(({ from }) => (from === null ? [] : [from]));
  const dated = [null, ...new Set(days.toSorted())].map((from) => ({
    from,
    price: priceFrom(book, own, from, bookDay),
  }));
  return dated.filter(({ from, price }, at) => {
    const before = dated[at - 1]?.price ?? null;
    return from === null ? price !== null : amounts(price) !== amounts(before);
  });
}

function priceFrom(book: BookPrices, added: readonly AddedPrice[], from: string | null, bookDay: string) {
  const day = from ?? '0000-01-01';
  const row = rowOn(book.rows, day);
  const price = row ? parsePricing(row, book.asOf, book.source) : null;
  const model = { id: book.id, price, priceAsOf: price && book.asOf, priceSource: price && book.source };
  return pricedOn([model], added, day, bookDay)[0]?.price ?? null;
}

/** What is charged, without where it stands. */
const amounts = (price: Price | null) => price && JSON.stringify({ ...priceToJson(price), as_of: null, source: null });
