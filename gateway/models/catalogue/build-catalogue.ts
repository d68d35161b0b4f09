import { parseUsdPerToken } from '#shared/money.ts';
import { type BookModel, parsePricing, rowOn } from '../prices/price-document.ts';
import type { BookPrices } from '../prices/price-history.ts';
import { type AddedPrice, pricedOn } from '../prices/price-rows.ts';
import { originOfPrice, shippedBook } from '../prices/shipped-book.ts';
import type { Catalogue, CatalogueModel } from './catalogue.ts';
import { bookEmbeddings, knownEmbedding } from './facts/embedding-models.ts';
import { getClaims, getFacts } from './known-models.ts';
import { offeredAt, type PriceHour, pricePeriod, withListedPrice } from './listed-prices.ts';

/**
 * Builds the catalogue for a day (`YYYY-MM-DD`) and an hour, UTC: the price book's models with the prices that hold
 * then, and the models that providers list, with the prices that were added to the book.
 */
export function buildCatalogue(
  day: string,
  listed: readonly CatalogueModel[],
  added: readonly AddedPrice[] = [],
  hour = 0,
): Catalogue {
  const complete = (model: CatalogueModel) => withSource(withListedPrice(asKnown(model, day), { day, hour }));
  const withPrices = (models: readonly CatalogueModel[]) =>
    pricedOn(models, added, day, shippedBook.as_of).map(withSearchPrice);
  const models = [...shippedBook.models.map((model) => fromBook(model, day)), ...listed.map(complete)];
  const priced = withPrices([...models, ...bookEmbeddings]);
  const isEmbedding = ({ embedding }: CatalogueModel) => embedding !== undefined;
  return {
    version: shippedBook.as_of,
    models: priced.filter((model) => !isEmbedding(model)),
    embeddings: priced.filter(isEmbedding),
    priced: (model) => withPrices([complete(model)])[0] ?? model,
    offered: pricedOn(offeredAt({ day, hour }), added, day, shippedBook.as_of),
  };
}

/** Adds the price of a web search if the vendor charges for searches. */
function withSearchPrice(model: CatalogueModel): CatalogueModel {
  const { price, facts } = model;
  if (!price || !facts?.webSearch || price.search !== undefined) return model;
  return { ...model, price: { ...price, search: parseUsdPerToken(facts.webSearch.price) } };
}

const bookModels = new Map(shippedBook.models.map((entry) => [entry.id, entry]));

/**
 * Gives a model the facts of the price-book model that it stands for, under its server's name for it. Its own price
 * takes precedence.
 */
function asKnown(model: CatalogueModel, day: string): CatalogueModel {
  const vectors = knownEmbedding(model.sameAs?.id ?? model.id);
  if (vectors) return asEmbedding(model, vectors);
  const entry = model.sameAs === undefined ? undefined : bookModels.get(model.sameAs.id);
  if (!entry) return model;
  const known = fromBook(entry, day);
  const { id, provider, price, priceAsOf, priceSource, isOwnPrice = false, aliases } = model;
  return {
    ...known,
    id,
    provider,
    aliases,
    model: model.model,
    // Only the vendor has the web search, not another server with the same model.
    capabilities: known.capabilities.filter((name) => name !== 'web_search'),
    supportedParameters: known.supportedParameters.filter((name) => name !== 'web_search_options'),
    facts: known.facts && {
      ...known.facts,
      responses: known.facts.responses && model.sameAs?.responses === true,
      webSearch: null,
    },
    ...(price === null ? {} : { price, priceAsOf, priceSource, isOwnPrice }),
  };
}

const asEmbedding = ({ id, provider, model, aliases, ...listed }: CatalogueModel, known: CatalogueModel) => ({
  ...known,
  id,
  provider,
  model,
  aliases,
  ...(listed.price === null
    ? {}
    : { price: listed.price, priceAsOf: listed.priceAsOf, priceSource: listed.priceSource }),
});

/** Returns the rows of the shipped book for a model; null if it has none. */
export function bookPrices(id: string): BookPrices | null {
  const entry = bookModels.get(id);
  return entry ? { id, rows: entry.rows, ...originOfPrice(entry) } : null;
}

/** True if the model is in the price book, or among the known embedding models. */
export const isKnownModel = (id: string): boolean => bookModels.has(id) || knownEmbedding(id) !== undefined;

/** Adds day and source to a price from a provider's own list, so that they stay with the price wherever it's stored. */
const withSource = (model: CatalogueModel): CatalogueModel =>
  model.price === null || model.price.source !== undefined || model.priceSource === null || model.priceAsOf === null
    ? model
    : { ...model, price: { ...model.price, asOf: model.priceAsOf, source: model.priceSource } };

const nothingAdded: readonly AddedPrice[] = [];

export interface CatalogueSettings {
  /** Alias → `provider/model`. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Prices besides those of the book. Returns the same array until they change. */
  readonly added: () => readonly AddedPrice[];
}

function withAliases(catalogue: Catalogue, aliases: CatalogueSettings['aliases']): Catalogue {
  const getNames = (id: string) => Object.keys(aliases).filter((name) => aliases[name] === id);
  const named = (model: CatalogueModel) => {
    const names = getNames(model.id);
    return names.length === 0 ? model : { ...model, aliases: [...model.aliases, ...names] };
  };
  return { ...catalogue, models: catalogue.models.map(named), embeddings: catalogue.embeddings.map(named) };
}

/**
 * Returns the current catalogue: it follows the date, the hour (for vendors with hourly prices) and the providers'
 * lists.
 */
export function liveCatalogue(
  now: () => number,
  listed: () => readonly CatalogueModel[],
  { aliases, added }: CatalogueSettings = { aliases: {}, added: () => nothingAdded },
): () => Catalogue {
  let built: { key: readonly CatalogueModel[]; prices: unknown; period: string; catalogue: Catalogue } | null = null;
  const periodAt = periodReader();
  return () => {
    const period = periodAt(now());
    const models = listed();
    const prices = added();
    if (!built || built.period !== period.id || built.prices !== prices || !sameModels(built.key, models)) {
      const catalogue = withAliases(buildCatalogue(period.day, models, prices, period.hour), aliases);
      built = { key: models, prices, period: period.id, catalogue };
    }
    return built.catalogue;
  };
}

interface Period extends PriceHour {
  /** Stays the same text as long as prices stay the same. */
  readonly id: string;
}

/** Every request reads the catalogue, so the date is formatted only once an hour. */
function periodReader(): (time: number) => Period {
  let known: { hours: number; period: Period } | null = null;
  return (time) => {
    const hours = Math.floor(time / hourMs);
    if (known?.hours !== hours) {
      const start = { day: new Date(time).toISOString().slice(0, 10), hour: hours % 24 };
      known = { hours, period: { ...start, id: `${start.day} ${pricePeriod(start)}` } };
    }
    return known.period;
  };
}

const hourMs = 3_600_000;

const sameModels = (a: readonly CatalogueModel[], b: readonly CatalogueModel[]) =>
  a === b || (a.length === b.length && a.every((model, index) => model === b[index]));

function fromBook(entry: BookModel, day: string): CatalogueModel {
  const [provider = '', ...rest] = entry.id.split('/');
  const row = rowOn(entry.rows, day);
  const facts = getFacts(entry.id);
  const { asOf, source } = originOfPrice(entry);
  return {
    id: entry.id,
    provider,
    model: rest.join('/'),
    name: entry.name,
    price: row ? parsePricing(row, asOf, source) : null,
    priceAsOf: row ? asOf : null,
    priceSource: row ? source : null,
    aliases: [],
    simulated: false,
    ...getClaims(facts),
    contextLength: entry.context_window ?? facts.contextLength,
  };
}
