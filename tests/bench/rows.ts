import { getSpread, type Spread } from './gateway/statistics.ts';

/** One line of a bench: what was done, with how much data, and what it took. */
export interface Row {
  readonly row: string;
  readonly unit: string;
  readonly value: Spread;
  /** The floor that was measured next to it in the same run, and the ratio to it, round by round. */
  readonly floor?: { readonly of: string; readonly value: Spread; readonly ratio: Spread };
  readonly atMost?: number;
  /** Stored for comparison, but not shown in `docs/bench/README.md`. */
  readonly aside?: true;
}

/** How a bench reports what it's doing, and each row as soon as it's measured. */
export interface Reporter {
  doing(message: string): void;
  row(row: Row): void;
}

interface Measured extends Pick<Row, 'row' | 'unit' | 'atMost'> {
  readonly values: readonly number[];
  readonly floor?: { readonly of: string; readonly values: readonly number[] };
}

/** Makes a row of the results of several rounds. Each value of a floor belongs to the value at the same index. */
export function toRow({ values, floor, ...rest }: Measured): Row {
  const row = { ...rest, value: getSpread(values) };
  if (!floor) return row;
  const ratios = values.map((value, round) => value / (floor.values[round] ?? Number.NaN));
  return { ...row, floor: { of: floor.of, value: getSpread(floor.values), ratio: getSpread(ratios) } };
}

/** Formats the row as a line to read. */
export function getLine({ row, unit, value, floor, atMost }: Row): string {
  const beside = floor ? `  ${spelled(floor.ratio)} × ${floor.of} (${spelled(floor.value)})` : '';
  const verdict = atMost === undefined ? '' : `  ${value.median <= atMost ? 'met' : 'missed'}: at most ${atMost}`;
  return `${row}: ${spelled(value)} ${unit}${beside}${verdict}`.trimEnd().concat('\n');
}

/** Formats the median, and the range if several rounds differ. */
export function spelled({ median, lowest, highest }: Spread): string {
  const [middle, low, high] = [median, lowest, highest].map(short);
  return low === high ? `${middle}` : `${middle} (${low}–${high})`;
}

/** Rounds to three digits, or to an integer from 100 on. */
const short = (value: number): string =>
  String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
