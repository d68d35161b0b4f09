import book from './data/prices.json' with { type: 'json' };
import vendorPrices from './data/vendor-prices.json' with { type: 'json' };
import type { BookModel, PriceDocument } from './price-document.ts';

const listed = new Set(book.models.map(({ id }) => id));

/**
 * The price book that ships with the gateway, and newer models with the prices of their vendors' own pages. A test
 * checks the data, because a check at each start would take 15 ms.
 */
export const shippedBook: PriceDocument = {
  ...book,
  models: [...book.models, ...vendorPrices.models.filter(({ id }) => !listed.has(id))],
};

/** Returns the day and the source of a model's shipped rows. */
export const originOfPrice = ({ as_of: asOf, source }: BookModel) => ({
  asOf: asOf ?? shippedBook.as_of,
  source: source ?? shippedBook.source,
});
