import { z } from 'zod';
import hourly from '../prices/data/hourly-prices.json' with { type: 'json' };
import book from '../prices/data/listed-prices.json' with { type: 'json' };
import { type PriceRow, parsePricing, priceRow, rowOn } from '../prices/price-document.ts';
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
const utcHour = z.int().min(0).max(24);
/** Models that cost more at some hours, each with the page that says so. */
export const hourlyBook = z.object({
  models: z.array(
    offeredModel.extend({
      as_of: z.iso.date(),
      source: z.string(),
      /** From and until, on Mondays to Fridays, UTC. Public holidays, which a vendor may leave out, are not known here. */
      peak_hours: z.array(z.tuple([utcHour, utcHour])),
      peak_rows: z.array(priceRow).min(1),
    }),
  ),
});
/** Checked by their test, as the shipped book is. */
const reviewed = book as z.output<typeof listedBook>;
const byTheHour = hourly as unknown as z.output<typeof hourlyBook>;

type ListedEntry = z.output<typeof offeredModel> & Partial<z.output<typeof hourlyBook>['models'][number]>;
const entries: readonly ListedEntry[] = [...reviewed.models, ...byTheHour.models];
const entryById = new Map(entries.map((entry) => [entry.id, entry]));

/** A moment as far as prices know it: a day (`YYYY-MM-DD`) and an hour, UTC. */
export interface PriceHour {
  readonly day: string;
  readonly hour: number;
}

const isPeak = ({ peak_hours: hours = [] }: ListedEntry, { day, hour }: PriceHour): boolean => {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return weekday >= 1 && weekday <= 5 && hours.some(([from, until]) => hour >= from && hour < until);
};

/** The same text as long as no hour that has begun changes a price. */
export const pricePeriod = (at: PriceHour): string =>
  byTheHour.models.map((entry) => Number(isPeak(entry, at))).join('');

/**
 * A model that its provider lists, with the price that holds where the reviewed data has one. A price in the provider's own list
 * comes first; what neither knows stays unknown.
 */
export function withListedPrice(model: CatalogueModel, at: PriceHour): CatalogueModel {
  const entry = model.price === null ? entryById.get(model.id) : undefined;
  return entry ? { ...model, ...pricedAt(entry, at) } : model;
}

const unpriced = { price: null, priceAsOf: null, priceSource: null };

/** A request costs what holds at the hour in which it begins. */
function pricedAt(entry: ListedEntry, at: PriceHour): Pick<CatalogueModel, 'price' | 'priceAsOf' | 'priceSource'> {
  const { as_of: asOf = reviewed.as_of, source = reviewed.source, rows, peak_rows: peakRows } = entry;
  if (!peakRows) return priced(rowOn(rows, at.day), asOf, source);
  const peak = isPeak(entry, at);
  return priced(rowOn(peak ? peakRows : rows, at.day), asOf, `${source}, ${peak ? 'peak' : 'off-peak'} hours`);
}

const priced = (row: PriceRow | undefined, asOf: string, source: string) =>
  row ? { price: parsePricing(row, asOf, source), priceAsOf: asOf, priceSource: source } : unpriced;

/** The reviewed prices of a model, oldest first, with where they come from; null where there are none, or where days do not tell them. */
export function listedRows(id: string): BookPrices | null {
  const entry = entryById.get(id);
  if (!entry || entry.peak_rows) return null;
  return { id, rows: entry.rows, asOf: reviewed.as_of, source: reviewed.source };
}

/**
 * Models of providers that list their own, as the reviewed data knows them, with the price that holds: what there is
 * to see before a key is there that could list them. Abilities that nobody says are not claimed.
 */
export const offeredAt = (at: PriceHour): CatalogueModel[] =>
  entries.flatMap((entry) => (entry.name === undefined ? [] : [offered(entry, entry.name, at)]));

function offered(entry: ListedEntry, name: string, at: PriceHour): CatalogueModel {
  const [provider = '', ...rest] = entry.id.split('/');
  const can = new Set(entry.abilities);
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
    ...pricedAt(entry, at),
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
