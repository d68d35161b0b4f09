import { z } from 'zod';
import book from '../prices/data/listed-prices.json' with { type: 'json' };
import { priceOf, priceRow, rowOn } from '../prices/price-document.ts';
import type { CatalogueModel } from './catalogue.ts';

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
  const row = model.price === null ? rowOn(rowsById.get(model.id) ?? [], day) : undefined;
  return row
    ? {
        ...model,
        price: priceOf(row, reviewed.as_of, reviewed.source),
        priceAsOf: reviewed.as_of,
        priceSource: reviewed.source,
      }
    : model;
}
