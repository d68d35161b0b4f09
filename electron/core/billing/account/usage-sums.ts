import type { ReportedCounters } from '#shared/client/reported.ts';
import type { UsageSums } from '#shared/contract/app/usage.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { isOwnKeys } from '../../gateways/connection/connections.ts';
import { getPersonCost } from '../costs/person-cost.ts';

/** Sums that can be added to. Null: not told of one of them, and so not known of all. Cost in nano-USD. */
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

export const nothing: Sums = {
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

export function plus(a: Sums, b: Sums): Sums {
  const counts = Object.fromEntries(names.map((name) => [name, added(a[name], b[name])])) as Record<
    (typeof names)[number],
    number | null
  >;
  return { ...counts, cost: a.cost === null || b.cost === null ? null : a.cost + b.cost };
}

const added = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b);

/**
 * What a gateway tells, with the parts of the tokens apart. A gateway that does not count unknown costs has none that the app
 * knows of.
 */
export function getSums(told: ReportedCounters): Sums {
  const { prompt_tokens: prompt, cached_tokens: cached, completion_tokens: completion, reasoning_tokens } = told;
  return {
    requests: told.requests,
    succeeded: told.succeeded,
    failed: told.failed,
    cancelled: told.cancelled,
    input: prompt === null ? null : Math.max(0, prompt - (cached ?? 0)),
    cached,
    output: completion === null ? null : Math.max(0, completion - (reasoning_tokens ?? 0)),
    reasoning: reasoning_tokens,
    unknown: told.unknown_cost_requests ?? 0,
    cost: getPersonCost(told),
  };
}

type UncertainCounters = Pick<ReportedCounters, 'unknown_cost_requests' | 'unfinished_requests'>;

/**
 * Counters as the payer of this source reads them: whoever pays the provider with own keys does not know what a request cost
 * that ended early.
 */
export function countersFor<Counters extends UncertainCounters>(source: string): (told: Counters) => Counters {
  if (!isOwnKeys(source)) return (told) => told;
  return (told) => ({
    ...told,
    unknown_cost_requests: (told.unknown_cost_requests ?? 0) + (told.unfinished_requests ?? 0),
  });
}

export const shownSums = ({ cost, ...counts }: Sums): UsageSums => ({
  ...counts,
  cost_usd: cost === null ? null : formatUsd(nanoUsd(cost)),
});

export const allOf = (sums: Iterable<Sums>): Sums => [...sums].reduce(plus, nothing);

/** By cost, then by tokens, then by requests; what is not known comes last. */
export function bySize(a: Sums, b: Sums): number {
  const cost = (b.cost ?? -1n) - (a.cost ?? -1n);
  if (cost !== 0n) return cost > 0n ? 1 : -1;
  return getTokens(b) - getTokens(a) || (b.requests ?? 0) - (a.requests ?? 0);
}

const getTokens = ({ input, cached, output, reasoning }: Sums): number =>
  (input ?? 0) + (cached ?? 0) + (output ?? 0) + (reasoning ?? 0);

/** With integers, since a float would round the amounts first. Null: one of them is not known, or not whole. */
export function getShare({ cost, unknown }: Pick<Sums, 'cost' | 'unknown'>, total: bigint | null): number | null {
  if (cost === null || total === null || (unknown ?? 0) > 0) return null;
  return total === 0n ? 0 : Number((cost * 1_000_000_000n) / total) / 1_000_000_000;
}
