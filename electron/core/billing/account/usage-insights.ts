import type { GatewayClient } from '#shared/client/gateway-client.ts';
import type { ReportedBucket, ReportedUsage } from '#shared/client/reported.ts';
import type { UsageInsights, UsagePeriod } from '#shared/contract/app/usage.ts';
import { addDays, dayIn, daysBetween } from '#shared/days.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { Payer } from '../../gateways/connection/connections.ts';
import { getPersonCost } from '../costs/person-cost.ts';
import { bucketsByDay, getSeconds, ifGrouped } from './ask-usage.ts';
import { countersFor, getSums } from './usage-sums.ts';

/** A mean of fewer days says nothing; of more than four weeks, little of what comes next. */
const [fewestDays, maxDays] = [7, 28];

export async function readInsights(
  { client, source }: Pick<Payer, 'client' | 'source'>,
  period: UsagePeriod,
  now: number,
  signal: AbortSignal,
): Promise<UsageInsights> {
  const [forecast, usage] = await Promise.all([
    readForecast(client, period.zone, now, signal),
    // One question for both: each reads all requests of the period.
    ifGrouped(client, { group_by: 'error', savings: true, ...getSeconds(period) }, signal),
  ]);
  return { forecast, failures: failuresIn(usage, source), cache_savings_usd: usage?.totals.cache_savings_usd ?? null };
}

function failuresIn(usage: ReportedUsage | null, source: string): UsageInsights['failures'] {
  if (!usage) return null;
  const failures = usage.data.map(countersFor<ReportedBucket>(source)).flatMap((bucket) => {
    const { error_code: code, requests, unknown_cost_requests: unknown } = bucket;
    const cost = getPersonCost(bucket);
    if (!code || requests === null || cost === null) return [];
    return [{ code, requests, cost_usd: formatUsd(nanoUsd(cost)), unknown: unknown ?? 0 }];
  });
  return failures.sort((a, b) => b.requests - a.requests);
}

async function readForecast(
  client: GatewayClient,
  zone: string,
  now: number,
  signal: AbortSignal,
): Promise<UsageInsights['forecast']> {
  const today = dayIn(zone, now);
  const monthStart = `${today.slice(0, 7)}-01`;
  const meanStart = addDays(today, -maxDays);
  const first = meanStart < monthStart ? meanStart : monthStart;
  const buckets = await bucketsByDay(client, 'day', { first, last: today, zone }, signal);
  if (buckets === null) return null;
  const costs = new Map<string, bigint>();
  for (const bucket of buckets) {
    const { cost } = getSums(bucket);
    if (bucket.day === null || cost === null) return null;
    costs.set(bucket.day, cost);
  }
  return calculateForecast(costs, today);
}

/**
 * Where the month is going: what it cost so far, and the mean of the whole days before today for each day that is left. The mean
 * begins with the first day that had use, at most four weeks ago. `costs`: nano-USD by day; a day without use is missing.
 */
export function calculateForecast(
  costs: ReadonlyMap<string, bigint>,
  today: string,
): NonNullable<UsageInsights['forecast']> {
  const month = today.slice(0, 7);
  const sum = (days: readonly string[]) => days.reduce((total, day) => total + (costs.get(day) ?? 0n), 0n);
  const soFar = sum(daysBetween(`${month}-01`, today));
  const before = daysBetween(addDays(today, -maxDays), addDays(today, -1));
  const used = before.slice(before.findIndex((day) => costs.has(day)));
  const meanDays = before.some((day) => costs.has(day)) ? used.length : 0;
  const daysLeft = daysBetween(addDays(today, 1), lastOfMonth(month)).length;
  const usd = (nano: bigint) => formatUsd(nanoUsd(nano));
  if (meanDays < fewestDays) return { month, so_far_usd: usd(soFar), estimate: null };
  const past = sum(used);
  return {
    month,
    so_far_usd: usd(soFar),
    estimate: {
      total_usd: usd(soFar + (past * BigInt(daysLeft)) / BigInt(meanDays)),
      mean_usd: usd(past / BigInt(meanDays)),
      mean_days: meanDays,
      days_left: daysLeft,
    },
  };
}

function lastOfMonth(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}
