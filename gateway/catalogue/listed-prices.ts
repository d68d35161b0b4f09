import { z } from 'zod';
import type { CatalogueModel } from './catalogue.ts';
import book from './data/listed-prices.json' with { type: 'json' };
import { priceOf, priceRow } from './price-row.ts';

const listedBook = z.object({
  as_of: z.iso.date(),
  source: z.string(),
  models: z.array(z.object({ id: z.string(), rows: z.array(priceRow).min(1) })),
});
const reviewed = listedBook.parse(book);
const rowsById = new Map(reviewed.models.map(({ id, rows }) => [id, rows]));

/**
 * A model that its provider lists, with the price that holds on a day (`YYYY-MM-DD`) where the reviewed data has one. A
 * price in the provider's own list comes first; what neither knows stays unknown.
 */
export function withListedPrice(model: CatalogueModel, day: string): CatalogueModel {
  const row =
    model.price === null ? rowsById.get(model.id)?.findLast(({ from }) => from === null || from <= day) : null;
  return row ? { ...model, price: priceOf(row), priceAsOf: reviewed.as_of, priceSource: reviewed.source } : model;
}
