import { z } from 'zod';
import book from '../prices/data/listed-prices.json' with { type: 'json' };
import { type PriceRow, priceOf, priceRow, rowOn } from '../prices/price-document.ts';
import type { BookPrices } from '../prices/price-history.ts';
import type { CatalogueModel } from './catalogue.ts';

const offeredModel = z.object({
  id: z.string(),
  rows: z.array(priceRow).min(1),
  /** Only of one name for each model, of those that were offered when the data was published. */
  name: z.string().optional(),
  context_window: z.int().positive().nullish(),
  max_output: z.int().positive().nullish(),
  /** Absent: nobody says. */
  abilities: z.array(z.enum(['tools', 'vision', 'files', 'audio', 'reasoning'])).optional(),
});
export const listedBook = z.object({ as_of: z.iso.date(), source: z.string(), models: z.array(offeredModel) });
/** Checked by its test, as the shipped book is. */
const reviewed = book as z.output<typeof listedBook>;
const rowsById = new Map(reviewed.models.map(({ id, rows }) => [id, rows]));

/**
 * A model that its provider lists, with the price that holds on a day (`YYYY-MM-DD`) where the reviewed data has one. A
 * price in the provider's own list comes first; what neither knows stays unknown.
 */
export function withListedPrice(model: CatalogueModel, day: string): CatalogueModel {
  const row = model.price === null ? rowOn(rowsById.get(model.id) ?? [], day) : undefined;
  return row ? { ...model, ...pricedBy(row) } : model;
}

const pricedBy = (row: PriceRow) => ({
  price: priceOf(row, reviewed.as_of, reviewed.source),
  priceAsOf: reviewed.as_of,
  priceSource: reviewed.source,
});

/** The reviewed prices of a model, oldest first, with where they come from; null where there are none. */
export function listedRows(id: string): BookPrices | null {
  const rows = rowsById.get(id);
  return rows ? { id, rows, asOf: reviewed.as_of, source: reviewed.source } : null;
}

/**
 * Models of providers that list their own, as the reviewed data knows them, with the price of a day (`YYYY-MM-DD`): what there is
 * to see before a key is there that could list them. Abilities that nobody says are not claimed.
 */
export const offeredOn = (day: string): CatalogueModel[] =>
  reviewed.models.flatMap((model) => (model.name === undefined ? [] : [offered(model, model.name, day)]));

function offered(entry: z.output<typeof offeredModel>, name: string, day: string): CatalogueModel {
  const [provider = '', ...rest] = entry.id.split('/');
  const can = new Set(entry.abilities);
  const row = rowOn(entry.rows, day);
  return {
    id: entry.id,
    provider,
    model: rest.join('/'),
    name,
    description: null,
    created: 0,
    contextLength: entry.context_window ?? null,
    maxOutputTokens: entry.max_output ?? null,
    inputModalities: [
      'text',
      ...(can.has('vision') ? ['image'] : []),
      ...(can.has('files') ? ['file'] : []),
      ...(can.has('audio') ? ['audio'] : []),
    ],
    outputModalities: ['text'],
    capabilities: ['streaming', ...can],
    supportedParameters: [],
    ...(row ? pricedBy(row) : { price: null, priceAsOf: null, priceSource: null }),
    quality: null,
    speed: { firstTokenMs: 1_000, tokensPerSecond: 30 },
    deprecationDate: null,
    shutdownDate: null,
    successor: null,
    facts: null,
    aliases: [],
    simulated: false,
  };
}
