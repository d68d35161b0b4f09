import type { ReportedBucket, ReportedUsage } from '#shared/client/reported.ts';
import type { UsageGroupId, UsageGrouping, UsagePeriod, UsageReport, UsageSums } from '#shared/contract/app/usage.ts';
import { dayIn, daysBetween } from '#shared/days.ts';
import type { UsageGroup } from '#shared/wire/usage.ts';
import type { Payer } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import { bucketsByDay, getSeconds, ifGrouped, periodBefore } from './ask-usage.ts';
import {
  type GetGroup,
  type GroupDeps,
  getKey,
  getRequestedGroup,
  groupsFor,
  type NamedGroup,
} from './usage-groups.ts';
import { bySize, getShare, getSums, type Sums, shownSums, sumAll } from './usage-sums.ts';

/** People can't distinguish more colours in a chart; the remaining groups become one series. */
const maxSeries = 5;
/** Nobody reads a longer table; the remaining groups become one row. */
const maxGroups = 200;

/** What the gateway counted on a day. */
interface Count {
  readonly day: string | null;
  readonly sums: Sums;
}

interface Group extends NamedGroup {
  readonly counts: readonly Count[];
  readonly sums: Sums;
}

const getCounts = (buckets: readonly ReportedBucket[], source: string): Count[] =>
  buckets.map((bucket) => ({ day: bucket.day, sums: getSums(bucket, source) }));
const getTotal = (counts: readonly Pick<Count, 'sums'>[]): Sums => sumAll(counts.map(({ sums }) => sums));

/** Names the groups of buckets, the largest first. Several buckets may belong to one group: the chats of a folder do. */
function toGroups(buckets: readonly ReportedBucket[], getGroup: GetGroup, source: string): Group[] {
  const groups = Map.groupBy(buckets, (bucket) => getKey(getGroup(bucket)));
  return [...groups.values()]
    .map((all) => {
      const counts = getCounts(all, source);
      return { ...(all[0] ? getGroup(all[0]) : rest), counts, sums: getTotal(counts) };
    })
    .sort((a, b) => bySize(a.sums, b.sums));
}

/** Returns the sums of each day, in order. */
function sumDays(counts: readonly Count[], days: readonly string[]): UsageSums[] {
  const perDay = Map.groupBy(counts, ({ day }) => within(days, day));
  return days.map((day) => shownSums(getTotal(perDay.get(day) ?? [])));
}

/**
 * When a clock is set back over midnight, one hour falls on the day before the period. It is counted in the period's
 * first day.
 */
function within(days: readonly string[], day: string | null): string {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  if (day === null || day < first) return first;
  return day > last ? last : day;
}

const rest: NamedGroup = { kind: 'rest', id: null, provider: null, name: null };

/** Combines all groups after the first `shown` into one. */
function withRest(sorted: readonly Group[], shown: number): readonly Group[] {
  const others = sorted.slice(shown);
  if (others.length === 0) return sorted;
  const counts = others.flatMap((group) => group.counts);
  return [...sorted.slice(0, shown), { ...rest, counts, sums: getTotal(others) }];
}

const getId = ({ kind, id, provider, name }: NamedGroup): NamedGroup => ({ kind, id, provider, name });

function shownGroups(sorted: readonly Group[], totals: Sums): Pick<UsageReport, 'groups' | 'more'> {
  const groups = withRest(sorted, maxGroups).map((group) => ({
    ...getId(group),
    ...shownSums(group.sums),
    share: getShare(group.sums, totals.cost),
  }));
  return { groups, more: Math.max(0, sorted.length - maxGroups) };
}

/** Adds buckets up by group and by day. The totals are the same for every grouping. */
export function foldByDay(
  buckets: readonly ReportedBucket[],
  getGroup: GetGroup,
  days: readonly string[],
  source: string,
): Pick<UsageReport, 'totals' | 'perDay' | 'groups' | 'more' | 'series'> {
  const sorted = toGroups(buckets, getGroup, source);
  const totals = getTotal(sorted);
  // A single remaining group is shown by its own name instead of as the rest.
  const series = withRest(sorted, sorted.length === maxSeries + 1 ? sorted.length : maxSeries);
  return {
    totals: shownSums(totals),
    perDay: sumDays(
      sorted.flatMap(({ counts }) => counts),
      days,
    ),
    ...shownGroups(sorted, totals),
    series: series.map((group) => ({ ...getId(group), days: sumDays(group.counts, days) })),
  };
}

/** Builds the usage report of a period from whatever this gateway reports. Throws `AppError`. */
export async function readUsageReport(
  deps: GroupDeps,
  payer: Pick<Payer, 'client' | 'source'>,
  grouping: UsageGrouping,
  period: UsagePeriod,
  signal: AbortSignal,
): Promise<UsageReport> {
  const report = await readReport(deps, payer, grouping, period, signal);
  return grouping === 'provenance' ? withoutUnknownCosts(report) : report;
}

/** The ledger has $0 for a request whose cost is unknown. Showing that as a cost would be wrong. */
function withoutUnknownCosts(report: UsageReport): UsageReport {
  const isUnknown = ({ kind, id }: UsageGroupId) => kind === 'named' && id === 'unknown';
  return {
    ...report,
    groups:
      report.groups?.map((group) => (isUnknown(group) ? { ...group, cost_usd: null, share: null } : group)) ?? null,
    series:
      report.series?.map((series) =>
        isUnknown(series) ? { ...series, days: series.days.map((day) => ({ ...day, cost_usd: null })) } : series,
      ) ?? null,
  };
}

async function readReport(
  deps: GroupDeps,
  payer: Pick<Payer, 'client' | 'source'>,
  grouping: UsageGrouping,
  period: UsagePeriod,
  signal: AbortSignal,
): Promise<UsageReport> {
  const { client, source } = payer;
  const buckets = await bucketsByDay(client, getRequestedGroup(grouping), period, signal);
  if (buckets === null) return plainReport(deps, payer, grouping, { ...period, zone: 'UTC' }, signal);
  const [getGroup, earlier] = await Promise.all([
    groupsFor(deps, grouping, buckets, payer, signal),
    bucketsByDay(client, 'day', periodBefore(period), signal),
  ]);
  const before = earlier && getCounts(earlier, source);
  const days = getDays(period);
  return {
    groupBy: grouping,
    days,
    zone: period.zone,
    ofPeriod: true,
    ownPeriod: null,
    ...foldByDay(buckets, getGroup, days, source),
    before: before && shownSums(getTotal(before)),
    perDayBefore: before && sumDays(before, getDays(periodBefore(period))),
  };
}

const getDays = ({ first, last }: UsagePeriod): string[] => daysBetween(first, last);
const groupedBy = (group: UsageGroup, period: UsagePeriod) => ({ group_by: group, ...getSeconds(period) });

/**
 * Builds the report for a gateway that supports only UTC days or groups, but not groups by day. Parts that it doesn't
 * report stay null.
 */
async function plainReport(
  deps: GroupDeps,
  payer: Pick<Payer, 'client' | 'source'>,
  grouping: UsageGrouping,
  period: UsagePeriod,
  signal: AbortSignal,
): Promise<UsageReport> {
  const { client, source } = payer;
  const usage = await askGateway(() => client.usage(groupedBy('day', period), { signal }));
  const reported = await ifGrouped(client, groupedBy(getRequestedGroup(grouping), period), signal);
  const getGroup = await groupsFor(deps, grouping, reported?.data ?? [], payer, signal);
  const totals = getSums(usage.totals, source);
  const ofPeriod = belongsTo(usage.period, period);
  const byDay = usage.grouped !== false && usage.group_by === 'day';
  const earlier = ofPeriod ? await ifGrouped(client, groupedBy('day', periodBefore(period)), signal) : null;
  const before = belongsTo(earlier?.period ?? null, periodBefore(period)) ? earlier : null;
  const days = getDays(period);
  return {
    groupBy: grouping,
    days,
    zone: 'UTC',
    ofPeriod,
    ownPeriod: ofPeriod ? null : getOwnPeriod(usage.period),
    totals: shownSums(totals),
    before: before && shownSums(getSums(before.totals, source)),
    perDay: byDay ? sumDays(getCounts(usage.data, source), days) : null,
    perDayBefore: before && sumDays(getCounts(before.data, source), getDays(periodBefore(period))),
    ...(reported ? shownGroups(toGroups(reported.data, getGroup, source), totals) : { groups: null, more: 0 }),
    series: null,
  };
}

type ReportedPeriod = ReportedUsage['period'];

/** True if the figures cover the requested period. Gateways differ on whether the last day is included. */
function belongsTo(reported: ReportedPeriod, period: UsagePeriod): boolean {
  const { start, end } = getSeconds(period);
  return reported !== null && reported.start === start && Math.abs(reported.end - end) <= daySeconds;
}

const daySeconds = 86_400;

const getOwnPeriod = (reported: ReportedPeriod): UsageReport['ownPeriod'] =>
  reported && {
    first: dayIn('UTC', reported.start * 1000),
    last: dayIn('UTC', Math.max(reported.start, reported.end - 1) * 1000),
  };
