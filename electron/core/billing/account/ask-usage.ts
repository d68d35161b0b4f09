import type { GatewayClient, UsageQuery } from '#shared/client/gateway-client.ts';
import { GatewayError } from '#shared/client/gateway-error.ts';
import type { ReportedBucket, ReportedUsage } from '#shared/client/reported.ts';
import type { UsagePeriod } from '#shared/contract/app/usage.ts';
import { addDays, startOfDay } from '#shared/days.ts';
import type { UsageGroup } from '#shared/wire/usage.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';

/**
 * Days for each request to the gateway. A few thousand buckets parse without a noticeable pause; a year of chats would
 * not.
 */
const sliceDays: Partial<Record<UsageGroup, number>> = { conversation: 14 };
const usualSliceDays = 62;

/** Returns the bounds of a period of calendar days in Unix seconds, the unit of the gateway's API. */
export const getSeconds = ({ first, last, zone }: UsagePeriod) => ({
  start: startOfDay(zone, first) / 1000,
  end: startOfDay(zone, addDays(last, 1)) / 1000,
});

/** Returns the period of the same length that ends the day before this one starts. */
export function periodBefore({ first, last, zone }: UsagePeriod): UsagePeriod {
  const length = Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000) + 1;
  return { first: addDays(first, -length), last: addDays(first, -1), zone };
}

/**
 * Reads the buckets of each group and day of a period, slice by slice. Null if the gateway can't group this way, or not
 * by day, or doesn't know time zones. Throws `AppError`.
 */
export async function bucketsByDay(
  client: GatewayClient,
  group: UsageGroup,
  period: UsagePeriod,
  signal: AbortSignal,
): Promise<readonly ReportedBucket[] | null> {
  const buckets: ReportedBucket[] = [];
  const step = sliceDays[group] ?? usualSliceDays;
  for (let first = period.first; first <= period.last; first = addDays(first, step)) {
    const end = addDays(first, step - 1);
    const slice = { first, last: end < period.last ? end : period.last, zone: period.zone };
    const query = { group_by: group, interval: 'day', time_zone: period.zone, ...getSeconds(slice) } as const;
    const usage = await ifGrouped(client, query, signal);
    if (usage?.interval !== 'day' || usage.time_zone !== period.zone) return null;
    buckets.push(...usage.data);
  }
  return buckets;
}

/** Reads grouped usage. Null if the gateway refuses this grouping, or answers with a different one. */
export async function ifGrouped(
  client: GatewayClient,
  query: UsageQuery,
  signal: AbortSignal,
): Promise<ReportedUsage | null> {
  try {
    const usage = await client.usage(query, { signal });
    return usage.group_by === query.group_by && usage.grouped !== false ? usage : null;
  } catch (error) {
    // An older gateway answers 400 to a grouping or interval that it doesn't know.
    if (error instanceof GatewayError && error.status_code === 400) return null;
    return askGateway(() => Promise.reject(error));
  }
}
