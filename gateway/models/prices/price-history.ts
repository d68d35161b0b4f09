import type { Price } from '#shared/price.ts';
import { type PriceRow, parsePricing, rowOn } from './price-document.ts';
import { priceToJson } from './price-json.ts';
import { type AddedPrice, pricedOn } from './price-rows.ts';

/** The known prices of a model, without the rows that an operator added. */
export interface BookPrices {
  /** `provider/model`. */
  readonly id: string;
  readonly rows: readonly PriceRow[];
  /** The day on which the rows were published, `YYYY-MM-DD`. */
  readonly asOf: string;
  readonly source: string;
}

/**
 * A price that holds from a day on (`YYYY-MM-DD`, UTC). `from: null`: it already held when prices were first recorded.
 */
export interface DatedPrice {
  readonly from: string | null;
  readonly price: Price | null;
}

/**
 * Returns the past, present and planned prices of a model, oldest first: for each day the price that `pricedOn` finds.
 * Days on which nothing changes are left out. `bookDay`: the day of the shipped book. Refreshed rows from before that
 * day no longer count.
 */
export function priceHistory(book: BookPrices, added: readonly AddedPrice[], bookDay: string): DatedPrice[] {
  const own = added.filter(({ model }) => model === book.id);
  const days = [...book.rows, ...own].flatMap(({ from }) => (from === null ? [] : [from]));
  const dated = [null, ...new Set(days.toSorted())].map((from) => ({
    from,
    price: priceFrom(book, own, from, bookDay),
  }));
  return dated.filter(({ from, price }, index) => {
    const before = dated[index - 1]?.price ?? null;
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

/** The amounts of a price, without its day and source. */
const amounts = (price: Price | null) => price && JSON.stringify({ ...priceToJson(price), as_of: null, source: null });
