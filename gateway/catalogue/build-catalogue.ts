import { z } from 'zod';
import type { Catalogue, CatalogueModel } from './catalogue.ts';
import book from './data/prices.json' with { type: 'json' };
import { withListedPrice } from './listed-prices.ts';
import { priceOf, priceRow } from './price-row.ts';
import { traitsOf } from './traits.ts';

const priceBook = z.object({
  as_of: z.iso.date(),
  source: z.string(),
  models: z.array(
    z.object({
      id: z.string().regex(/^[a-z]+\/\S+$/),
      name: z.string(),
      context_window: z.int().positive().nullable(),
      rows: z.array(priceRow).min(1),
    }),
  ),
});

type BookModel = z.infer<typeof priceBook>['models'][number];

const reviewed = priceBook.parse(book);

/**
 * The catalogue as of a day (`YYYY-MM-DD`, UTC): the price book's models with the row that holds then, and what the
 * providers list by themselves.
 */
export function buildCatalogue(day: string, listed: readonly CatalogueModel[]): Catalogue {
  const priced = listed.map((model) => withListedPrice(model, day));
  return { version: reviewed.as_of, models: [...reviewed.models.map((model) => fromBook(model, day)), ...priced] };
}

export interface CatalogueSettings {
  /** Alias → `provider/model`. */
  readonly aliases: Readonly<Record<string, string>>;
}

function withAliases(catalogue: Catalogue, aliases: CatalogueSettings['aliases']): Catalogue {
  const namesOf = (id: string) => Object.keys(aliases).filter((name) => aliases[name] === id);
  const named = (model: CatalogueModel) => {
    const names = namesOf(model.id);
    return names.length === 0 ? model : { ...model, aliases: [...model.aliases, ...names] };
  };
  return { ...catalogue, models: catalogue.models.map(named) };
}

/** A catalogue that follows the calendar (prices change at midnight UTC) and what the providers list. */
export function liveCatalogue(
  now: () => number,
  listed: () => readonly CatalogueModel[],
  { aliases }: CatalogueSettings = { aliases: {} },
): () => Catalogue {
  let built: { key: readonly CatalogueModel[]; day: string; catalogue: Catalogue } | null = null;
  return () => {
    const day = new Date(now()).toISOString().slice(0, 10);
    const models = listed();
    if (!built || built.day !== day || !sameModels(built.key, models)) {
      built = { key: models, day, catalogue: withAliases(buildCatalogue(day, models), aliases) };
    }
    return built.catalogue;
  };
}

const sameModels = (a: readonly CatalogueModel[], b: readonly CatalogueModel[]) =>
  a === b || (a.length === b.length && a.every((model, index) => model === b[index]));

function fromBook(entry: BookModel, day: string): CatalogueModel {
  const [provider = '', ...rest] = entry.id.split('/');
  const row = entry.rows.findLast(({ from }) => from === null || from <= day);
  const { contextLength, ...traits } = traitsOf(entry.id);
  return {
    id: entry.id,
    provider,
    model: rest.join('/'),
    name: entry.name,
    description: null,
    created: 0,
    outputModalities: ['text'],
    price: row ? priceOf(row) : null,
    priceAsOf: row ? reviewed.as_of : null,
    priceSource: row ? reviewed.source : null,
    deprecationDate: null,
    shutdownDate: null,
    aliases: [],
    simulated: false,
    ...traits,
    contextLength: entry.context_window ?? contextLength,
  };
}
