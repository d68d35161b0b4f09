import type { UsageReport } from '#shared/contract/app/wallets.ts';
import { parseUsd } from '#shared/money.ts';
import { count, usd } from '../../text/format.ts';

export type Bucket = UsageReport['data'][number];
export type Measure = 'cost' | 'tokens' | 'requests';
/** Of the table; the chart is by day. */
export const groupings = ['model', 'provider', 'key', 'status'] as const;
export type Grouping = (typeof groupings)[number];

export interface DayStack {
  readonly day: string;
  /** Bar heights, in the order of the series; the text comes from `words`. */
  readonly parts: readonly number[];
  /** The exact values as text. */
  readonly words: readonly string[];
  readonly sum: number;
}

/** A stack for each day, including days without use. */
export function stacksOf(days: readonly string[], buckets: readonly Bucket[], measure: Measure): DayStack[] {
  const byDay = new Map(buckets.map((bucket) => [bucket.day, bucket]));
  return days.map((day) => {
    const bucket = byDay.get(day);
    const parts = partsOf(bucket, measure);
    const words =
      measure === 'cost' ? [bucket && bucket.cost_usd === null ? '—' : usd(bucket?.cost_usd ?? '0')] : parts.map(count);
    return { day, parts, words, sum: parts.reduce((sum, part) => sum + part, 0) };
  });
}

function partsOf(bucket: Bucket | undefined, measure: Measure): number[] {
  if (!bucket) return measure === 'cost' ? [0] : measure === 'tokens' ? [0, 0, 0, 0] : [0, 0, 0];
  // Floats only for pixels, never for shown amounts.
  if (measure === 'cost') return [Number(parseUsd(bucket.cost_usd ?? '0')) / 1e9];
  if (measure === 'requests')
    return [bucket.succeeded ?? bucket.requests ?? 0, bucket.failed ?? 0, bucket.cancelled ?? 0];
  const { input, cached, output, reasoning } = bucket.tokens;
  return [input, cached, output, reasoning];
}

/** Round axis: steps of 1, 2 or 5 times a power of ten. */
export function axisOf(largest: number): { top: number; steps: number[] } {
  if (largest <= 0) return { top: 1, steps: [0, 1] };
  const rough = largest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? 10 * power;
  const steps = Array.from({ length: Math.ceil(largest / step) + 1 }, (_, at) => at * step);
  return { top: steps.at(-1) ?? 1, steps };
}
