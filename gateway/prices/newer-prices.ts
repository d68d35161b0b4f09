import { AppError } from '#shared/errors.ts';
import { type BookModel, type PriceDocument, type PriceFields, perToken, rowOn } from './price-document.ts';
import { type AddedPrice, heldOn } from './price-rows.ts';

export interface KnownPrices {
  /** The shipped book. */
  readonly book: PriceDocument;
  readonly added: readonly AddedPrice[];
  /** `YYYY-MM-DD`, UTC. */
  readonly today: string;
}

export interface NewerPrices {
  readonly rows: readonly AddedPrice[];
  /** Models of the document that this gateway does not serve. */
  readonly ignored: readonly string[];
}

/** A price that moves further than this between two editions is taken for a mistake. */
const mostTimes = 10n;
/** USD per million tokens. */
const dearest = 10_000;

/**
 * What a newer edition of the price book adds: rows that begin today or later, never earlier, and only where they differ
 * from what is known. Throws `invalid_input` where anything in it is implausible; then nothing of it is used.
 */
export function newerPrices(document: PriceDocument, known: KnownPrices): NewerPrices {
  checkEdition(document, known);
  const served = new Map(known.book.models.map((model) => [model.id, model]));
  return {
    rows: document.models.flatMap((model) => {
      const ours = served.get(model.id);
      return ours ? rowsOf(model, ours, document, known) : [];
    }),
    ignored: document.models.filter(({ id }) => !served.has(id)).map(({ id }) => id),
  };
}

function checkEdition({ as_of: asOf, models }: PriceDocument, { book, today }: KnownPrices): void {
  if (asOf > today) throw refused(`it says that it is from ${asOf}, which has not come yet`);
  if (asOf < book.as_of)
    throw refused(`it is from ${asOf}, and the prices that this gateway ships are from ${book.as_of}`);
  const ids = models.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice) throw refused(`it has ${twice} twice`);
  for (const { id, rows } of models) {
    const isOrdered = rows.every(({ from }, at) => at === 0 || (from !== null && from > (rows[at - 1]?.from ?? '')));
    if (!isOrdered) throw refused(`the rows of ${id} are not in the order of their days`);
  }
}

function rowsOf(model: BookModel, ours: BookModel, document: PriceDocument, known: KnownPrices): AddedPrice[] {
  const { today, book } = known;
  const mine = known.added.filter(
    ({ model: id, kind, asOf }) => id === model.id && kind === 'refresh' && asOf >= book.as_of,
  );
  const rows: AddedPrice[] = [];
  const changes = [...model.rows, ...ours.rows, ...mine].flatMap(({ from }) =>
    from !== null && from > today ? [from] : [],
  );
  for (const day of [today, ...new Set(changes.toSorted())]) {
    const want = fieldsOf(rowOn(model.rows, day));
    if (!want) throw refused(`it has no price of ${model.id} for ${day}`);
    const have = heldOn([...mine, ...rows], day)?.price ?? fieldsOf(rowOn(ours.rows, day));
    if (have && canonical(have) === canonical(want)) continue;
    checkPlausible(model.id, want, have ?? null);
    rows.push({
      model: model.id,
      kind: 'refresh',
      source: document.source,
      asOf: document.as_of,
      from: day,
      price: want,
    });
  }
  return rows;
}

/** A row without its day. */
function fieldsOf(row: (PriceFields & { from?: string | null }) | undefined): PriceFields | undefined {
  if (!row) return undefined;
  const { from: _from, ...fields } = row;
  return fields;
}

/** Two spellings of the same price are the same text. */
const canonical = (fields: PriceFields): string =>
  JSON.stringify(fields, (_key, value: unknown) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    const present = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined && inner !== '0');
    return Object.fromEntries(present.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });

function checkPlausible(id: string, want: PriceFields, have: PriceFields | null): void {
  for (const rates of [want, ...want.tiers]) {
    for (const name of [
      'input',
      'output',
      'cache_read',
      'cache_write',
      'cache_write_1h',
      'reasoning',
      'input_audio',
    ] as const) {
      const price = rates[name];
      if (price != null && Number(price) > dearest)
        throw refused(`${id} would cost $${price} per million tokens (${name})`);
    }
  }
  if (!have) return;
  for (const name of ['input', 'output'] as const) {
    const [before, after] = [perToken(have[name]), perToken(want[name])];
    if (after > before * mostTimes || before > after * mostTimes) {
      throw refused(`the ${name} price of ${id} would go from $${have[name]} to $${want[name]} per million tokens`);
    }
  }
}

const refused = (why: string) =>
  new AppError(
    'invalid_input',
    `The price document is refused as a whole, because ${why}. The prices stay as they are.`,
  );
