import { getSpread, type Spread } from './gateway/statistics.ts';

/** One line of a bench: what was done, with how much of what, and what it took. */
export interface Row {
  readonly row: string;
  readonly unit: string;
  readonly value: Spread;
  /** What was measured beside it in the same run, and how many times that it was, round by round. */
  readonly floor?: { readonly of: string; readonly value: Spread; readonly ratio: Spread };
  readonly atMost?: number;
  /** Kept to be compared, and not shown in `docs/bench/README.md`. */
  readonly aside?: true;
}

/** How a bench says what it does, and each row as soon as it is measured. */
export interface Teller {
  doing(what: string): void;
  row(row: Row): void;
}

interface Measured extends Pick<Row, 'row' | 'unit' | 'atMost'> {
  readonly values: readonly number[];
  readonly floor?: { readonly of: string; readonly values: readonly number[] };
}

/** A row of what several rounds gave; a floor's value stands at the place of the value that it was measured beside. */
export function toRow({ values, floor, ...rest }: Measured): Row {
  const row = { ...rest, value: getSpread(values) };
  if (!floor) return row;
  const ratios = values.map((value, round) => value / (floor.values[round] ?? Number.NaN));
  return { ...row, floor: { of: floor.of, value: getSpread(floor.values), ratio: getSpread(ratios) } };
}

/** The row as a line to read. */
export function getLine({ row, unit, value, floor, atMost }: Row): string {
  const beside = floor ? `  ${spelled(floor.ratio)} × ${floor.of} (${spelled(floor.value)})` : '';
  const verdict = atMost === undefined ? '' : `  ${value.median <= atMost ? 'met' : 'missed'}: at most ${atMost}`;
  return `${row}: ${spelled(value)} ${unit}${beside}${verdict}`.trimEnd().concat('\n');
}

/** The median, and from where to where where several rounds differ. */
export function spelled({ median, lowest, highest }: Spread): string {
  const [middle, low, high] = [median, lowest, highest].map(short);
  return low === high ? `${middle}` : `${middle} (${low}–${high})`;
}

/** Three digits, or all of a whole number. */
const short = (value: number): string =>
  String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
