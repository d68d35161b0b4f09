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
  /** The newest edition that was taken over. */
  readonly newest: PriceEdition | null;
  /** `YYYY-MM-DD`, UTC. */
  readonly today: string;
}

export interface NewerPrices {
  readonly rows: readonly AddedPrice[];
  /** Models of the document that this gateway does not serve. */
  readonly ignored: readonly string[];
  /** Models that keep their price, because the new one is not believed. */
  readonly refused: readonly RefusedPrice[];
}

export interface RefusedPrice {
  readonly model: string;
  /** One sentence: the line of a bill, and what it would go from and to. */
  readonly why: string;
}

/**
 * What a newer edition of the price book adds: rows that begin today or later, never earlier, and only where they differ
 * from what is known. A model whose change is not believed keeps its price, and the others get theirs. Throws `invalid_input` where the
 * edition itself is wrong; then nothing of it is used.
 */
export function newerPrices(document: PriceDocument, known: KnownPrices): NewerPrices {
  checkEdition(document, known);
  const served = new Map(known.book.models.map((model) => [model.id, model]));
  const changes = document.models.flatMap((model) => {
    const ours = served.get(model.id);
    return ours ? [getChange(model, ours, document, known)] : [];
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
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice) throw refused(`it has ${twice} twice`);
  for (const { id, rows } of models) {
    const isOrdered = rows.every(({ from }, at) => at === 0 || (from !== null && from > (rows[at - 1]?.from ?? '')));
    if (!isOrdered) throw refused(`the rows of ${id} are not in the order of their days`);
  }
}

interface Change {
  readonly rows: readonly AddedPrice[];
  readonly refused?: RefusedPrice;
}

function getChange(model: BookModel, ours: BookModel, document: PriceDocument, known: KnownPrices): Change {
  const { today, book } = known;
  const mine = known.added.filter(
    ({ model: id, kind, asOf }) => id === model.id && kind === 'refresh' && asOf >= book.as_of,
  );
  const rows: AddedPrice[] = [];
  const days = [...model.rows, ...ours.rows, ...mine].flatMap(({ from }) =>
    from !== null && from > today ? [from] : [],
  );
  for (const day of [today, ...new Set(days.toSorted())]) {
    const want = getFields(rowOn(model.rows, day));
    if (!want) throw refused(`it has no price of ${model.id} for ${day}`);
    const shipped = getFields(rowOn(ours.rows, day)) ?? null;
    const held = heldOn(mine, day)?.price ?? null;
    const last = heldOn([...mine, ...rows], day)?.price ?? shipped;
    if (last && isSame(last, want)) continue;
    // Also with what ships, and never with another row of the same document: small steps, day after day, would lead anywhere.
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

/** A row without its day. */
function getFields(row: (PriceFields & { from?: string | null }) | undefined): PriceFields | undefined {
  if (!row) return undefined;
  const { from: _from, ...fields } = row;
  return fields;
}

/** Whether they cost the same, however they are spelt: an amount with zeros behind it, a fee of nothing or none. */
const isSame = (one: PriceFields, other: PriceFields): boolean => exact(one) === exact(other);

const exact = (fields: PriceFields): string =>
  JSON.stringify(parsePricing(fields, '', ''), (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );

const refused = (why: string) =>
  new AppError(
    'invalid_input',
    `The price document is refused as a whole, because ${why}. The prices stay as they are.`,
  );
