import type { KeyObject } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import { getVendor } from '#shared/model-names.ts';
import type { PriceFields } from '../../models/prices/price-document.ts';
import { type AddedPrice, addPrices, plannedAfter, readAddedPrices } from '../../models/prices/price-rows.ts';
import { shippedBook } from '../../models/prices/shipped-book.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { fetchPrices } from './fetch-prices.ts';
import { newerPrices, type RefusedPrice } from './newer-prices.ts';
import { noteEdition, readNewestEdition } from './price-editions.ts';

export interface RefreshReport {
  readonly source: string;
  readonly asOf: string;
  readonly added: readonly AddedPrice[];
  readonly ignored: readonly string[];
  /** Models that keep their price because the new one isn't plausible. */
  readonly refused: readonly RefusedPrice[];
}

/**
 * The operator's commands for prices. Rows are only ever added, and each request stores its own price, so the history never
 * changes.
 */
export interface PriceOperator {
  /** Prices besides the shipped book, in the order in which they were added. */
  addedPrices(): Promise<readonly AddedPrice[]>;
  /**
   * Sets the operator's own price for a model from a day on. Null returns the model to the book; without a day, it also cancels
   * changes planned for later days. Throws `invalid_input`.
   */
  overridePrice(change: { model: string; from?: string; price: PriceFields | null }): Promise<AddedPrice>;
  /**
   * Adopts a newer edition of the book, except for models whose change isn't plausible. Without a public key, the address must be
   * on this machine. Throws `invalid_input`.
   */
  refreshPrices(url: string, publicKey?: KeyObject | null): Promise<RefreshReport>;
}

export function createPriceOperator(deps: {
  readonly db: GatewayDb;
  readonly now: () => number;
  readonly fetch?: typeof fetch;
  /** Called after prices were added. */
  readonly pricesChanged: () => Promise<void>;
}): PriceOperator {
  const { db, now } = deps;
  const today = () => new Date(now()).toISOString().slice(0, 10);

  async function add(rows: readonly AddedPrice[]): Promise<void> {
    await addPrices(db, rows, now());
    await deps.pricesChanged();
  }

  return {
    addedPrices: () => readAddedPrices(db),

    async overridePrice({ model, from: wanted, price }) {
      const added = await readAddedPrices(db);
      const from = wanted ?? today();
      const isAdded = price !== null || added.some((row) => row.model === model);
      requireModel(model, isAdded);
      if (from < today()) {
        throw new AppError(
          'invalid_input',
          `A price cannot begin on ${from}: what is past stays. Today is ${today()} (UTC).`,
        );
      }
      const row: AddedPrice = { model, kind: 'override', source: 'override', asOf: today(), from, price };
      const planned = price === null && wanted === undefined ? plannedAfter(added, model, from) : [];
      await add([row, ...planned.map((later) => ({ ...row, from: later.from }))]);
      return row;
    },

    async refreshPrices(url, publicKey = null) {
      const document = await fetchPrices({ address: url, publicKey }, deps.fetch);
      const [added, newest] = [await readAddedPrices(db), await readNewestEdition(db)];
      const known = { book: shippedBook, added, newest, today: today() };
      const { rows, ignored, refused } = newerPrices(document, known);
      await noteEdition(db, { asOf: document.as_of, source: document.source }, now());
      await add(rows);
      return { source: document.source, asOf: document.as_of, added: rows, ignored, refused };
    },
  };
}

/**
 * For a vendor of the book, only the book's models and newer ones of that vendor are accepted. Other providers may list any
 * model.
 */
function requireModel(id: string, mayBeNewer: boolean): void {
  if (!/^[^/\s]+\/\S+$/.test(id)) {
    throw new AppError('invalid_input', `"${id}" is no model. Name it as provider/model, such as openai/gpt-5.4-mini.`);
  }
  const [provider = '', name = ''] = id.split('/', 2);
  const siblings = shippedBook.models.filter((model) => model.id.startsWith(`${provider}/`));
  const isNewer = mayBeNewer && getVendor(name) === provider;
  if (siblings.length > 0 && !isNewer && !siblings.some((model) => model.id === id)) {
    throw new AppError(
      'not_found',
      `There is no model "${id}". "gateway prices list --provider ${provider}" lists the ones there are.`,
    );
  }
}
