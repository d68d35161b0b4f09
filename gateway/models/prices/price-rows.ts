import type { Price } from '#shared/price.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import type { PriceRowRow } from '../../storage/schema.ts';
import { type PriceFields, parsePricing, priceFields } from './price-document.ts';

/** A price that isn't in the shipped book. */
export interface AddedPrice {
  /** `provider/model`. */
  readonly model: string;
  /**
   * `override`: the operator's own price, which takes precedence over all others. `refresh`: a price of a newer edition
   * of the book.
   */
  readonly kind: 'override' | 'refresh';
  readonly source: string;
  /** The day on which it was published, `YYYY-MM-DD`. */
  readonly asOf: string;
  /** First day on which it holds, UTC. */
  readonly from: string;
  /** Null ends an override: from that day on, the book's price holds again. */
  readonly price: PriceFields | null;
}

/** Returns all added prices, in the order in which they were added. */
export async function readAddedPrices(db: GatewayDb): Promise<AddedPrice[]> {
  const rows = await db.selectFrom('price_rows').selectAll().orderBy('seq').execute();
  return rows.map(toAddedPrice);
}

/** Adds rows. Existing rows are never changed. */
export async function addPrices(db: GatewayDb, prices: readonly AddedPrice[], now: number): Promise<void> {
  if (prices.length === 0) return;
  const rows = prices.map(({ model, kind, source, asOf, from, price }) => ({
    model,
    kind,
    source,
    as_of: asOf,
    valid_from: from,
    created: BigInt(now),
    price: price && JSON.stringify(price),
  }));
  await db.insertInto('price_rows').values(rows).execute();
}

const toAddedPrice = (row: PriceRowRow): AddedPrice => ({
  model: row.model,
  kind: row.kind,
  source: row.source,
  asOf: row.as_of,
  from: row.valid_from,
  price: row.price === null ? null : priceFields.parse(JSON.parse(row.price)),
});

/**
 * Returns the row that holds on a day: the one that began last. Of several that began on the same day, it's the one
 * added last.
 */
export const heldOn = (rows: readonly AddedPrice[], day: string): AddedPrice | undefined =>
  rows
    .filter(({ from }) => from <= day)
    .reduce<AddedPrice | undefined>((held, row) => (held && held.from > row.from ? held : row), undefined);

/**
 * Returns the operator's own prices of a model that will begin after this day. If several are planned for one day, the
 * last one counts.
 */
export function plannedAfter(added: readonly AddedPrice[], model: string, day: string): AddedPrice[] {
  const byDay = new Map<string, AddedPrice>();
  for (const row of added)
    if (row.model === model && row.kind === 'override' && row.from > day) byDay.set(row.from, row);
  return [...byDay.values()]
    .filter(({ price }) => price !== null)
    .toSorted((first, second) => first.from.localeCompare(second.from));
}

/** The fields of a model that concern its price. */
interface Priced {
  readonly id: string;
  readonly price: Price | null;
  readonly priceAsOf: string | null;
  readonly priceSource: string | null;
  readonly isOwnPrice?: boolean;
}

/**
 * Returns the models with the prices that hold on a day: the operator's own price, else the refreshed one, else the
 * book's. A refreshed row counts until the gateway ships a newer book.
 */
export function pricedOn<Model extends Priced>(
  models: readonly Model[],
  added: readonly AddedPrice[],
  day: string,
  bookDay: string,
): readonly Model[] {
  if (added.length === 0) return models;
  return models.map((model) => {
    const own = added.filter((row) => row.model === model.id);
    if (own.length === 0) return model;
    const override = heldOn(
      own.filter(({ kind }) => kind === 'override'),
      day,
    );
    const refreshed = heldOn(
      own.filter(({ kind, asOf }) => kind === 'refresh' && asOf >= bookDay),
      day,
    );
    const row = override?.price ? override : refreshed;
    return row?.price ? withPrice(model, row, row.price) : model;
  });
}

const withPrice = <Model extends Priced>(
  model: Model,
  { asOf, source, kind }: AddedPrice,
  price: PriceFields,
): Model => ({
  ...model,
  isOwnPrice: kind === 'override',
  price: parsePricing(price, asOf, source),
  priceAsOf: asOf,
  priceSource: source,
});
