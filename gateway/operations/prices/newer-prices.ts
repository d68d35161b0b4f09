import { isEnteredPrice } from '#shared/bill-lines.ts';
import { AppError } from '#shared/errors.ts';
import {
  type BookModel,
  type PriceDocument,
  type PriceFields,
  parsePricing,
  rowOn,
} from '../../models/prices/price-document.ts';
import { type AddedPrice, heldOn } from '../../models/prices/price-rows.ts';
import { faultOfChange } from './price-changes.ts';
import type { PriceEdition } from './price-editions.ts';

export interface KnownPrices {
  /** The shipped book. */
  readonly book: PriceDocument;
  readonly added: readonly AddedPrice[];
  /** The newest edition that was adopted. */
  readonly newest: PriceEdition | null;
  /** `YYYY-MM-DD`, UTC. */
  readonly today: string;
}

export interface NewerPrices {
  readonly rows: readonly AddedPrice[];
  /** Models of the document that this gateway doesn't serve. */
  readonly ignored: readonly string[];
  /** Models that keep their price because the new one isn't plausible. */
  readonly refused: readonly RefusedPrice[];
}

export interface RefusedPrice {
  readonly model: string;
  /** One sentence: the line of the cost breakdown, with its old and new price. */
  readonly why: string;
}

/**
 * Returns what a newer edition of the price book adds: rows that begin today or later, and only where they differ from known
 * prices. A model with an implausible change keeps its price, and the others get theirs. Throws `invalid_input` when the edition
 * itself is wrong; nothing of it is used then.
 */
export function newerPrices(document: PriceDocument, known: KnownPrices): NewerPrices {
  checkEdition(document, known);
  const served = new Map(known.book.models.map((model) => [model.id, model]));
  const changes = document.models.flatMap((model) => {
    const shippedModel = served.get(model.id);
    return shippedModel ? [getChange(model, shippedModel, document, known)] : [];
  });
  return {
    rows: changes.flatMap(({ rows }) => rows),
    refused: changes.flatMap(({ refused }) => refused ?? []),
    ignored: document.models.filter(({ id }) => !served.has(id)).map(({ id }) => id),
  };
}

function checkEdition({ as_of: asOf, source, models }: PriceDocument, { book, newest, today }: KnownPrices): void {
  if (isEnteredPrice(source)) throw refused(`it names "${source}" as its source, as prices of one's own are marked`);
  if (asOf > today) throw refused(`it says that it is from ${asOf}, which has not come yet`);
  if (asOf < book.as_of)
    throw refused(`it is from ${asOf}, and the prices that this gateway ships are from ${book.as_of}`);
  if (newest && asOf < newest.asOf) {
    throw refused(
      `it is from ${asOf}, and one of ${newest.asOf} (${newest.source}) was taken before: an older one may be served on purpose`,
    );
  }
  const ids = models.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice) throw refused(`it has ${twice} twice`);
  for (const { id, rows } of models) {
    const isOrdered = rows.every(
      ({ from }, index) => index === 0 || (from !== null && from > (rows[index - 1]?.from ?? '')),
    );
    if (!isOrdered) throw refused(`the rows of ${id} are not in the order of their days`);
  }
}

interface Change {
  readonly rows: readonly AddedPrice[];
  readonly refused?: RefusedPrice;
}

function getChange(model: BookModel, shippedModel: BookModel, document: PriceDocument, known: KnownPrices): Change {
  const { today, book } = known;
  const refreshedRows = known.added.filter(
    ({ model: id, kind, asOf }) => id === model.id && kind === 'refresh' && asOf >= book.as_of,
  );
  const rows: AddedPrice[] = [];
  const days = [...model.rows, ...shippedModel.rows, ...refreshedRows].flatMap(({ from }) =>
    from !== null && from > today ? [from] : [],
  );
  for (const day of [today, ...new Set(days.toSorted())]) {
    const want = getFields(rowOn(model.rows, day));
    if (!want) throw refused(`it has no price of ${model.id} for ${day}`);
    const shipped = getFields(rowOn(shippedModel.rows, day)) ?? null;
    const held = heldOn(refreshedRows, day)?.price ?? null;
    const last = heldOn([...refreshedRows, ...rows], day)?.price ?? shipped;
    if (last && isSame(last, want)) continue;
    // The price is compared with the shipped one too, and never with another row of the same document: otherwise small changes,
    // day after day, could lead to any price.
    const fault = faultOfChange(shipped, want) ?? (held && faultOfChange(held, want));
    if (fault) return { rows: [], refused: { model: model.id, why: getSentence(model.id, day, fault, today) } };
    rows.push({
      model: model.id,
      kind: 'refresh',
      source: document.source,
      asOf: document.as_of,
      from: day,
      price: want,
    });
  }
  return { rows };
}

const getSentence = (id: string, day: string, fault: string, today: string): string =>
  `${id} keeps its price, because ${day > today ? `on ${day} ` : ''}${fault}; if that is right, say so with "gateway prices set".`;

/** Returns a row without its day. */
function getFields(row: (PriceFields & { from?: string | null }) | undefined): PriceFields | undefined {
  if (!row) return undefined;
  const { from: _from, ...fields } = row;
  return fields;
}

/** Whether they cost the same, however they are written: with trailing zeros, or with a fee of zero or none. */
const isSame = (first: PriceFields, second: PriceFields): boolean => exact(first) === exact(second);

const exact = (fields: PriceFields): string =>
  JSON.stringify(parsePricing(fields, '', ''), (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );

const refused = (why: string) =>
  new AppError(
    'invalid_input',
    `The price document is refused as a whole, because ${why}. The prices stay as they are.`,
  );
