import type { ReportedCounters } from '#shared/client/reported.ts';
import type { UsageSums } from '#shared/contract/app/usage.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { countUnknown, getPersonCost } from '../costs/cost.ts';

/**
 * Sums that can be added up. Null: at least one part wasn't reported, so the sum is unknown. The cost is in nano-USD.
 */
type Counts = Omit<UsageSums, 'cost_usd'>;
export interface Sums extends Counts {
  readonly cost: bigint | null;
}

const names = [
  'requests',
  'succeeded',
  'failed',
  'cancelled',
  'input',
  'cached',
  'output',
  'reasoning',
  'unknown',
] as const;

const nothing: Sums = {
  requests: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  input: 0,
  cached: 0,
  output: 0,
  reasoning: 0,
  unknown: 0,
  cost: 0n,
};

function plus(a: Sums, b: Sums): Sums {
  const counts = Object.fromEntries(names.map((name) => [name, added(a[name], b[name])])) as Record<
    (typeof names)[number],
    number | null
  >;
  return { ...counts, cost: a.cost === null || b.cost === null ? null : a.cost + b.cost };
}

const added = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b);

/** Reads the counters that the gateway of a source reports, and splits the tokens into their parts. */
export function getSums(reported: ReportedCounters, source: string): Sums {
  const { prompt_tokens: prompt, cached_tokens: cached, completion_tokens: completion, reasoning_tokens } = reported;
  return {
    requests: reported.requests,
    succeeded: reported.succeeded,
    failed: reported.failed,
    cancelled: reported.cancelled,
    input: prompt === null ? null : Math.max(0, prompt - (cached ?? 0)),
    cached,
    output: completion === null ? null : Math.max(0, completion - (reasoning_tokens ?? 0)),
    reasoning: reasoning_tokens,
    unknown: countUnknown(reported, source),
    cost: getPersonCost(reported),
  };
}

export const shownSums = ({ cost, ...counts }: Sums): UsageSums => ({
  ...counts,
  cost_usd: cost === null ? null : formatUsd(nanoUsd(cost)),
});

export const sumAll = (sums: Iterable<Sums>): Sums => [...sums].reduce(plus, nothing);

/** Sorts by cost, then tokens, then requests, with unknown values last. */
export function bySize(a: Sums, b: Sums): number {
  const cost = (b.cost ?? -1n) - (a.cost ?? -1n);
  if (cost !== 0n) return cost > 0n ? 1 : -1;
  return getTokens(b) - getTokens(a) || (b.requests ?? 0) - (a.requests ?? 0);
}

const getTokens = ({ input, cached, output, reasoning }: Sums): number =>
  (input ?? 0) + (cached ?? 0) + (output ?? 0) + (reasoning ?? 0);

/**
 * Divides integers, because a float would round the amounts first. Null if one of the amounts is unknown or incomplete.
 */
export function getShare({ cost, unknown }: Pick<Sums, 'cost' | 'unknown'>, total: bigint | null): number | null {
  if (cost === null || total === null || (unknown ?? 0) > 0) return null;
  return total === 0n ? 0 : Number((cost * 1_000_000_000n) / total) / 1_000_000_000;
}
