import { z } from 'zod';
import { type PicoUsd, picoUsd } from '#shared/money.ts';
import type { Price, Rates } from '#shared/price.ts';
import type { Catalogue, CatalogueModel } from './catalogue.ts';
import book from './data/prices.json' with { type: 'json' };
import { traitsOf } from './traits.ts';

/** USD per million tokens, as a decimal string. */
const perMillion = z.string().regex(/^\d+(\.\d{1,6})?$/);
const rateFields = {
  input: perMillion,
  output: perMillion,
  cache_read: perMillion.nullable(),
  cache_write: perMillion.nullable(),
};
const priceRow = z.object({
  /** First day on which the row holds, UTC; null: since ever. */
  from: z.iso.date().nullable(),
  ...rateFields,
  tiers: z.array(z.object({ above: z.int().positive(), ...rateFields })),
});
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

type PriceRow = z.infer<typeof priceRow>;
type BookModel = z.infer<typeof priceBook>['models'][number];

const reviewed = priceBook.parse(book);

/**
 * The catalogue as of a day (`YYYY-MM-DD`, UTC): the price book's models with the row that holds then, and what the
 * providers list by themselves.
 */
export function buildCatalogue(day: string, listed: readonly CatalogueModel[]): Catalogue {
  return { version: reviewed.as_of, models: [...reviewed.models.map((model) => fromBook(model, day)), ...listed] };
}

/** A catalogue that follows the calendar (prices change at midnight UTC) and what the providers list. */
export function liveCatalogue(now: () => number, listed: () => readonly CatalogueModel[]): () => Catalogue {
  let built: { key: readonly CatalogueModel[]; day: string; catalogue: Catalogue } | null = null;
  return () => {
    const day = new Date(now()).toISOString().slice(0, 10);
    const models = listed();
    if (!built || built.day !== day || !sameModels(built.key, models)) {
      built = { key: models, day, catalogue: buildCatalogue(day, models) };
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

const priceOf = (row: PriceRow): Price => ({
  ...ratesOf(row),
  request: picoUsd(0n),
  tiers: row.tiers.map((tier) => ({ minPromptTokens: tier.above, ...ratesOf(tier) })),
});

const ratesOf = (row: Pick<PriceRow, 'input' | 'output' | 'cache_read' | 'cache_write'>): Rates => ({
  prompt: perToken(row.input),
  completion: perToken(row.output),
  cacheRead: row.cache_read === null ? null : perToken(row.cache_read),
  cacheWrite: row.cache_write === null ? null : perToken(row.cache_write),
});

/** USD per million tokens is micro-USD per token: moving the point six places gives pico-USD. Never through a float. */
function perToken(text: string): PicoUsd {
  const [whole = '0', fraction = ''] = text.split('.');
  return picoUsd(BigInt(`${whole}${fraction.padEnd(6, '0')}`));
}
