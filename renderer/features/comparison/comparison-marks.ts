import type { Message } from '#shared/contract/chat/conversations.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { speedOf } from '../message/answer-footer.tsx';

type Column = Pick<
  Message,
  'status' | 'costUsd' | 'costSource' | 'simulated' | 'usage' | 'firstTokenAt' | 'finishedAt' | 'toolCalls'
>;

export interface Marks {
  /** Index of the cheapest column; null if unknown. */
  readonly cheapest: number | null;
  /** Index of the column with most tokens per second. */
  readonly fastest: number | null;
}

const none: Marks = { cheapest: null, fastest: null };

/**
 * The cheapest and the fastest column, once all have ended; only complete answers count. Nothing is marked when a cost
 * is unknown, since it might be the lowest, when test credits and money are mixed, or when two are equal.
 */
export function marksOf(columns: readonly Column[]): Marks {
  if (columns.some(({ status }) => status === 'streaming')) return none;
  const whole = columns.map((column, at) => ({ ...column, at })).filter(({ status }) => status === 'done');
  if (whole.length < 2) return none;
  const costs = whole.map(({ costUsd, costSource }) => (costSource === 'unknown' ? null : costUsd));
  const comparable =
    costs.every((cost) => cost !== null) && new Set(whole.map(({ simulated }) => simulated)).size === 1;
  const speeds = whole.map(speedOf);
  return {
    cheapest: comparable
      ? only(
          whole,
          costs.map((cost) => -parseUsd(cost ?? '0')),
        )
      : null,
    fastest: speeds.every((speed) => speed !== null)
      ? only(
          whole,
          speeds.map((speed) => BigInt(speed ?? 0)),
        )
      : null,
  };
}

/** The index of the greatest value, if it is unique. */
function only(columns: readonly { readonly at: number }[], values: readonly bigint[]): number | null {
  const [most = 0n, next] = values.toSorted((a, b) => (a < b ? 1 : -1));
  const at = values.indexOf(most);
  return most !== next ? (columns[at]?.at ?? null) : null;
}

export interface ComparisonSum {
  readonly usd: string | null;
  readonly testCreditsUsd: string | null;
  readonly unknown: number;
}

/** The total cost of the shown columns: money, test credits and unknown costs apart. */
export function sumOf(columns: readonly Column[]): ComparisonSum {
  const known = columns.filter(({ costUsd, costSource }) => costUsd !== null && costSource !== 'unknown');
  const sum = (of: readonly Column[]) =>
    of.length === 0
      ? null
      : formatUsd(nanoUsd(of.reduce((total, { costUsd }) => total + parseUsd(costUsd ?? '0'), 0n)));
  const ended = columns.filter(({ status }) => status !== 'streaming').length;
  return {
    usd: sum(known.filter(({ simulated }) => !simulated)),
    testCreditsUsd: sum(known.filter(({ simulated }) => simulated)),
    unknown: Math.max(0, ended - known.length),
  };
}
