import type { UsageGroupId, UsageGrouping, UsageReport, UsageSums } from '#shared/contract/app/usage.ts';
import { parseUsd } from '#shared/money.ts';
import type { ProviderName } from '../../../api/use-provider-name.ts';
import { count, roundUsd, usd } from '../../../text/format.ts';
import { text } from '../../../text/usage-text.ts';
import { groupKey, groupName } from './group-names.ts';

export const measures = ['cost', 'tokens', 'requests'] as const;
export type Measure = (typeof measures)[number];

/** What the bars can be stacked by. Token types are only available for tokens. */
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
  /** The group that lists this series' requests. Null: they can't be listed separately. */
  readonly group: UsageGroupId | null;
  readonly days: readonly Value[];
}

interface Value {
  /** The bar's height. It is a float because it is only used for drawing. */
  readonly size: number;
  /** The exact value. Null: unknown. */
  readonly amount: string | number | null;
  /** For a cost, the number of requests that it leaves out because their cost is unknown. */
  readonly unknown?: number | null;
}

/** Failures have a fixed colour of their own, and the rest is grey. */
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

type ShownValue = Pick<Value, 'amount' | 'unknown'>;

/** Formats a value exactly. */
export const formatExact = (value: ShownValue): string => formatValue(value, usd);

/** Formats a value rounded for reading. The table has the exact amount. */
export const formatRounded = (value: ShownValue): string => formatValue(value, roundUsd);

function formatValue({ amount, unknown }: ShownValue, write: (usd: string) => string): string {
  if (typeof amount === 'number') return count(amount);
  if (!unknown) return amount === null ? '—' : write(amount);
  return amount === null || isNothing(amount) ? text.unknown(unknown) : text.withUnknown(write(amount), unknown);
}

export const isNothing = (amount: string): boolean => parseUsd(amount) === 0n;

/** Returns the series of a chart from the bottom up. It is a single series if the gateway can't group by day. */
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
  return report.series.map((series, index) => ({
    key: groupKey(series),
    name: groupName(series, report.groupBy, providerName),
    colour: getColour(series, index, report.groupBy),
    group: series.kind === 'rest' ? null : { kind: series.kind, id: series.id, provider: series.provider },
    days: series.days.map((sums) => getMeasure(sums, measure)),
  }));
}

function getColour({ kind, id }: UsageGroupId, index: number, groupBy: UsageGrouping): Colour {
  if (kind === 'rest') return 'rest';
  const outcome = groupBy === 'status' ? id : null;
  if (outcome === 'failed') return 'bad';
  if (outcome === 'cancelled') return 'rest';
  return colours[index] ?? 'rest';
}

function tokenTypes(perDay: readonly UsageSums[]): Series[] {
  return (['input', 'cached', 'output', 'reasoning'] as const).map((type, index) => ({
    key: type,
    name: text.types[type],
    colour: colours[index] ?? 'rest',
    group: null,
    days: perDay.map((sums) => ({ size: sums[type] ?? 0, amount: sums[type] })),
  }));
}

/** Returns a round axis with steps of 1, 2 or 5 times a power of ten. Counts get whole numbers only. */
export function getAxis(largest: number, whole: boolean): { top: number; steps: number[] } {
  if (largest <= 0) return { top: 1, steps: [0, 1] };
  const rough = Math.max(largest / 4, whole ? 1 : 0);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? 10 * power;
  const steps = Array.from({ length: Math.ceil(largest / step) + 1 }, (_, index) => index * step);
  return { top: steps.at(-1) ?? 1, steps };
}
