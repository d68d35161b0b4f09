import type { GatewayClient, UsageQuery } from '#shared/client/gateway-client.ts';
import { GatewayError } from '#shared/client/gateway-error.ts';
import type { ReportedBucket, ReportedUsage } from '#shared/client/reported.ts';
import type { UsagePeriod } from '#shared/contract/app/usage.ts';
import { addDays, startOfDay } from '#shared/days.ts';
import type { UsageGroup } from '#shared/wire/usage.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';

/** An answer of some thousand buckets is read without a pause that anybody notices; one of a year of chats is not. */
const sliceDays: Partial<Record<UsageGroup, number>> = { conversation: 14 };
const usualSliceDays = 62;

/** Milliseconds: the instants a period of whole days begins and ends at. */
export const getRange = ({ first, last, zone }: UsagePeriod) => ({
  startMs: startOfDay(zone, first),
  endMs: startOfDay(zone, addDays(last, 1)),
});

/** The same in Unix seconds, as the gateway counts. */
export function getSeconds(period: UsagePeriod): { readonly start: number; readonly end: number } {
  const { startMs, endMs } = getRange(period);
  return { start: startMs / 1000, end: endMs / 1000 };
}

/** As many days before a period. */
export function periodBefore({ first, last, zone }: UsagePeriod): UsagePeriod {
  const length = Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000) + 1;
  return { first: addDays(first, -length), last: addDays(first, -1), zone };
}

/**
 * The buckets of each group for each day of a period, asked for in pieces. Null: the gateway does not tell groups of this kind,
 * or not by the day, or knows no time zones. Throws `AppError`.
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

/** Usage in groups; null where the gateway refuses to group like this, or groups otherwise than it was asked to. */
export async function ifGrouped(
  client: GatewayClient,
  query: UsageQuery,
  signal: AbortSignal,
): Promise<ReportedUsage | null> {
  try {
    const usage = await client.usage(query, { signal });
    return usage.group_by === query.group_by && usage.grouped !== false ? usage : null;
  } catch (error) {
    // A gateway of a version before refuses groups and intervals that it does not know.
    if (error instanceof GatewayError && error.status_code === 400) return null;
    return askGateway(() => Promise.reject(error));
  }
}
