import type { ReportedCounters } from '#shared/client/reported.ts';
import { parseUsd } from '#shared/money.ts';

/**
 * What requests cost the person, in nano-USD: the gateway's charge, and what providers bill for requests with the person's
 * own keys, which the gateway doesn't charge. Null: the gateway doesn't report it.
 */
export const getPersonCost = ({
  cost_usd: charge,
  byok_upstream_cost_usd: ownKeys,
}: Pick<ReportedCounters, 'cost_usd' | 'byok_upstream_cost_usd'>): bigint | null =>
  charge === null ? null : parseUsd(charge) + parseUsd(ownKeys ?? '0');
