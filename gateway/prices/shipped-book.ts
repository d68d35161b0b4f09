import book from './data/prices.json' with { type: 'json' };
import { priceDocument } from './price-document.ts';

/** The book that ships with the gateway. */
export const shippedBook = priceDocument.parse(book);
