import type { UsageGroupId, UsageGrouping, UsageReport, UsageSums } from '#shared/contract/app/usage.ts';
import { parseUsd } from '#shared/money.ts';
import type { ProviderName } from '../../../api/use-provider-name.ts';
import { count, roundUsd, usd } from '../../../text/format.ts';
import { text } from '../../../text/usage-text.ts';
import { groupKey, groupName } from './group-names.ts';

export const measures = ['cost', 'tokens', 'requests'] as const;
export type Measure = (typeof measures)[number];

/** What bars are stacked by; the types of tokens are of the tokens alone. */
export const stackings = [
  ...(['model', 'provider', 'key', 'purpose', 'folder', 'conversation', 'status', 'provenance'] as const),
  'type',
] as const;
export type Stacking = (typeof stackings)[number];

export const getGrouping = (stacking: Stacking): UsageGrouping => (stacking === 'type' ? 'model' : stacking);

export interface Series {
  readonly key: string;
  readonly name: string;
  readonly colour: Colour;
  /** What its requests are listed by; null: they are not apart from those of others. */
  readonly group: UsageGroupId | null;
  readonly days: readonly Value[];
}

interface Value {
  /** Height: a float is for pixels alone. */
  readonly size: number;
  /** The exact value; null: it is not known. */
  readonly amount: string | number | null;
  /** Of a cost: requests that are not in it, because nobody knows what they cost. */
  readonly unknown?: number | null;
}

/** A failure has the colour of failures, and what is left over none of its own. */
const colours = ['1', '2', '3', '4', '6'] as const;
export type Colour = (typeof colours)[number] | 'rest' | 'bad';

export function getMeasure(sums: UsageSums, measure: Measure): Value {
  if (measure === 'cost') {
    const { cost_usd: cost, unknown } = sums;
    return { size: cost === null ? 0 : Number(parseUsd(cost)) / 1e9, amount: cost, unknown };
  }
  const amount = measure === 'requests' ? sums.requests : getTokens(sums);
  return { size: amount ?? 0, amount };
}

function getTokens({ input, cached, output, reasoning }: UsageSums): number | null {
  return input === null && output === null ? null : (input ?? 0) + (cached ?? 0) + (output ?? 0) + (reasoning ?? 0);
}

type Said = Pick<Value, 'amount' | 'unknown'>;

/** A value in words, exactly. */
export const getWords = (value: Said): string => inWords(value, usd);

/** The same as one reads it: the exact amount is in the table. */
export const roughWords = (value: Said): string => inWords(value, roundUsd);

function inWords({ amount, unknown }: Said, write: (usd: string) => string): string {
  if (typeof amount === 'number') return count(amount);
  if (!unknown) return amount === null ? '—' : write(amount);
  return amount === null || isNothing(amount) ? text.unknown(unknown) : text.withUnknown(write(amount), unknown);
}

export const isNothing = (amount: string): boolean => parseUsd(amount) === 0n;

/** The series of a chart, from the bottom up; one for all where the gateway does not tell groups by day. */
export function getSeries(
  report: UsageReport,
  measure: Measure,
  stacking: Stacking,
  providerName: ProviderName,
): Series[] {
  const perDay = report.perDay ?? [];
  if (stacking === 'type' && measure === 'tokens') return tokenTypes(perDay);
  if (report.series === null || report.series.length === 0) {
    const days = perDay.map((sums) => getMeasure(sums, measure));
    return [{ key: 'all', name: text.measures[measure], colour: '1', group: null, days }];
  }
  return report.series.map((series, at) => ({
    key: groupKey(series),
    name: groupName(series, report.groupBy, providerName),
    colour: getColour(series, at, report.groupBy),
    group: series.kind === 'rest' ? null : { kind: series.kind, id: series.id, provider: series.provider },
    days: series.days.map((sums) => getMeasure(sums, measure)),
  }));
}

function getColour({ kind, id }: UsageGroupId, at: number, groupBy: UsageGrouping): Colour {
  if (kind === 'rest') return 'rest';
  const outcome = groupBy === 'status' ? id : null;
  if (outcome === 'failed') return 'bad';
  if (outcome === 'cancelled') return 'rest';
  return colours[at] ?? 'rest';
}

function tokenTypes(perDay: readonly UsageSums[]): Series[] {
  return (['input', 'cached', 'output', 'reasoning'] as const).map((type, at) => ({
    key: type,
    name: text.types[type],
    colour: colours[at] ?? 'rest',
    group: null,
    days: perDay.map((sums) => ({ size: sums[type] ?? 0, amount: sums[type] })),
  }));
}

/** Round axis: steps of 1, 2 or 5 times a power of ten; of what is counted, no parts. */
export function getAxis(largest: number, whole: boolean): { top: number; steps: number[] } {
  if (largest <= 0) return { top: 1, steps: [0, 1] };
  const rough = Math.max(largest / 4, whole ? 1 : 0);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? 10 * power;
  const steps = Array.from({ length: Math.ceil(largest / step) + 1 }, (_, at) => at * step);
  return { top: steps.at(-1) ?? 1, steps };
}
