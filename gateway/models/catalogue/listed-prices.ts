import { z } from 'zod';
import hourly from '../prices/data/hourly-prices.json' with { type: 'json' };
import book from '../prices/data/listed-prices.json' with { type: 'json' };
import { type PriceRow, parsePricing, priceRow, rowOn } from '../prices/price-document.ts';
import type { BookPrices } from '../prices/price-history.ts';
import type { CatalogueModel } from './catalogue.ts';

const offeredModel = z.object({
  id: z.string(),
  rows: z.array(priceRow).min(1),
  /** Set for one name of each model, if the model was on offer when the data was published. */
  name: z.string().optional(),
  context_window: z.int().positive().nullish(),
  max_output: z.int().positive().nullish(),
  /** Absent if they are unknown. */
  abilities: z.array(z.enum(['tools', 'vision', 'files', 'audio', 'reasoning'])).optional(),
});
export const listedBook = z.object({ as_of: z.iso.date(), source: z.string(), models: z.array(offeredModel) });
const utcHour = z.int().min(0).max(24);
/** Models that cost more at some hours, each with its source. */
export const hourlyBook = z.object({
  models: z.array(
    offeredModel.extend({
      as_of: z.iso.date(),
      source: z.string(),
      /**
       * Beginning and end of the peak hours, on Mondays to Fridays, UTC. A vendor may leave out public holidays, which
       * aren't known here.
       */
      peak_hours: z.array(z.tuple([utcHour, utcHour])),
      peak_rows: z.array(priceRow).min(1),
    }),
  ),
});
/** A test checks the data, as it checks the shipped book. */
const reviewed = book as z.output<typeof listedBook>;
const byTheHour = hourly as unknown as z.output<typeof hourlyBook>;

type ListedEntry = z.output<typeof offeredModel> & Partial<z.output<typeof hourlyBook>['models'][number]>;
const entries: readonly ListedEntry[] = [...reviewed.models, ...byTheHour.models];
const entryById = new Map(entries.map((entry) => [entry.id, entry]));

/** A moment as exact as prices need it: a day (`YYYY-MM-DD`) and an hour, UTC. */
export interface PriceHour {
  readonly day: string;
  readonly hour: number;
}

const isPeak = ({ peak_hours: hours = [] }: ListedEntry, { day, hour }: PriceHour): boolean => {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return weekday >= 1 && weekday <= 5 && hours.some(([from, until]) => hour >= from && hour < until);
};

/** Returns a text that stays the same until a price changes with the hour. */
export const pricePeriod = (time: PriceHour): string =>
  byTheHour.models.map((entry) => Number(isPeak(entry, time))).join('');

/**
 * Adds a price to a model that its provider lists, if the reviewed data has one for that hour. A price in the
 * provider's own list takes precedence. Without either, the price is unknown.
 */
export function withListedPrice(model: CatalogueModel, time: PriceHour): CatalogueModel {
  const entry = model.price === null ? entryById.get(model.id) : undefined;
  return entry ? { ...model, ...pricedAt(entry, time) } : model;
}

const unpriced = { price: null, priceAsOf: null, priceSource: null };

/** A request costs the price of the hour in which it begins. */
function pricedAt(entry: ListedEntry, time: PriceHour): Pick<CatalogueModel, 'price' | 'priceAsOf' | 'priceSource'> {
  const { as_of: asOf = reviewed.as_of, source = reviewed.source, rows, peak_rows: peakRows } = entry;
  if (!peakRows) return priced(rowOn(rows, time.day), asOf, source);
  const peak = isPeak(entry, time);
  return priced(rowOn(peak ? peakRows : rows, time.day), asOf, `${source}, ${peak ? 'peak' : 'off-peak'} hours`);
}

const priced = (row: PriceRow | undefined, asOf: string, source: string) =>
  row ? { price: parsePricing(row, asOf, source), priceAsOf: asOf, priceSource: source } : unpriced;

/**
 * Returns the reviewed prices of a model, oldest first, with their source; null if there are none, or if they change
 * with the hour.
 */
export function listedRows(id: string): BookPrices | null {
  const entry = entryById.get(id);
  if (!entry || entry.peak_rows) return null;
  return { id, rows: entry.rows, asOf: reviewed.as_of, source: reviewed.source };
}

/**
 * Returns the models of providers that list their own, as the reviewed data has them, with the prices of that hour.
 * They are shown as long as there is no key with which the list could be fetched. Unknown abilities aren't claimed.
 */
export const offeredAt = (time: PriceHour): CatalogueModel[] =>
  entries.flatMap((entry) => (entry.name === undefined ? [] : [offered(entry, entry.name, time)]));

function offered(entry: ListedEntry, name: string, time: PriceHour): CatalogueModel {
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
    ...pricedAt(entry, time),
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
