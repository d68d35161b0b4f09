import book from './data/prices.json' with { type: 'json' };
import type { PriceDocument } from './price-document.ts';

/** The book that ships with the gateway: checked by its test, because a check at each start would take 15 ms of it. */
export const shippedBook: PriceDocument = book;
