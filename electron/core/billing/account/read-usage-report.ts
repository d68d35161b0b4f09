import type { ReportedBucket, ReportedUsage } from '#shared/client/reported.ts';
import type {
  UsageGroupId,
  UsageGrouping,
  UsageGroupSums,
  UsagePeriod,
  UsageReport,
  UsageSeries,
} from '#shared/contract/app/usage.ts';
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
import { bySize, countersFor, getShare, getSums, nothing, plus, type Sums, shownSums, sumAll } from './usage-sums.ts';

/** People can't distinguish more colours in a chart; the remaining groups become one series. */
const maxSeries = 5;
/** Nobody reads a longer table; the remaining groups become one row. */
const maxGroups = 200;

interface Group extends NamedGroup {
  sums: Sums;
  readonly days: Map<string, Sums>;
}

/** Adds buckets up by group and by day. The totals are the same for every grouping. */
export function foldByDay(
  buckets: readonly ReportedBucket[],
  getGroup: GetGroup,
  days: readonly string[],
): Pick<UsageReport, 'totals' | 'perDay' | 'groups' | 'more' | 'series'> {
  const groups = new Map<string, Group>();
  const perDay = new Map<string, Sums>();
  for (const bucket of buckets) {
    const sums = getSums(bucket);
    const day = within(days, bucket.day);
    const named = getGroup(bucket);
    const key = getKey(named);
    const group = groups.get(key) ?? { ...named, sums: nothing, days: new Map<string, Sums>() };
    groups.set(key, group);
    group.sums = plus(group.sums, sums);
    group.days.set(day, plus(group.days.get(day) ?? nothing, sums));
    perDay.set(day, plus(perDay.get(day) ?? nothing, sums));
  }
  const sorted = [...groups.values()].sort((a, b) => bySize(a.sums, b.sums));
  const totals = sumAll(perDay.values());
  return {
    totals: shownSums(totals),
    perDay: days.map((day) => shownSums(perDay.get(day) ?? nothing)),
    ...shownGroups(sorted, totals),
    series: getSeries(sorted, days),
  };
}

/** Adds buckets up by group only, for a gateway that can't group by day. */
function foldGroups(buckets: readonly ReportedBucket[], getGroup: GetGroup, totals: Sums) {
  const groups = new Map<string, NamedGroup & { sums: Sums }>();
  for (const bucket of buckets) {
    const named = getGroup(bucket);
    const known = groups.get(getKey(named));
    groups.set(getKey(named), { ...named, sums: plus(known?.sums ?? nothing, getSums(bucket)) });
  }
  return shownGroups(
    [...groups.values()].sort((a, b) => bySize(a.sums, b.sums)),
    totals,
  );
}

function foldDays(buckets: readonly ReportedBucket[], days: readonly string[]) {
  const perDay = new Map<string, Sums>();
  for (const bucket of buckets) {
    const day = within(days, bucket.day);
    perDay.set(day, plus(perDay.get(day) ?? nothing, getSums(bucket)));
  }
  return days.map((day) => shownSums(perDay.get(day) ?? nothing));
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

function shownGroups(sorted: readonly (NamedGroup & { readonly sums: Sums })[], totals: Sums) {
  const folded = sorted.length > maxGroups ? sorted.slice(maxGroups) : [];
  const shown = folded.length > 0 ? [...sorted.slice(0, maxGroups), { ...rest, sums: getSum(folded) }] : sorted;
  const groups: UsageGroupSums[] = shown.map(({ kind, id, provider, name, sums }) => ({
    kind,
    id,
    provider,
    name,
    ...shownSums(sums),
    share: getShare(sums, totals.cost),
  }));
  return { groups, more: folded.length };
}

const getSum = (groups: readonly { readonly sums: Sums }[]): Sums => sumAll(groups.map(({ sums }) => sums));

function getSeries(sorted: readonly Group[], days: readonly string[]): UsageSeries[] {
  // A single remaining group is shown by its own name instead of as the rest.
  const own = sorted.length === maxSeries + 1 ? sorted : sorted.slice(0, maxSeries);
  const folded = sorted.slice(own.length);
  const series = own.map((group) => ({
    kind: group.kind,
    id: group.id,
    provider: group.provider,
    name: group.name,
    days: days.map((day) => shownSums(group.days.get(day) ?? nothing)),
  }));
  if (folded.length === 0) return series;
  const others = days.map((day) => shownSums(sumAll(folded.flatMap((group) => group.days.get(day) ?? []))));
  return [...series, { ...rest, days: others }];
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
  const { client } = payer;
  const counters = countersFor<ReportedBucket>(payer.source);
  const reported = await bucketsByDay(client, getRequestedGroup(grouping), period, signal);
  if (reported === null) return plainReport(deps, payer, grouping, { ...period, zone: 'UTC' }, signal);
  const buckets = reported.map(counters);
  const [getGroup, reportedEarlier] = await Promise.all([
    groupsFor(deps, grouping, buckets, payer, signal),
    bucketsByDay(client, 'day', periodBefore(period), signal),
  ]);
  const earlier = reportedEarlier?.map(counters) ?? null;
  const days = getDays(period);
  return {
    groupBy: grouping,
    days,
    zone: period.zone,
    ofPeriod: true,
    ownPeriod: null,
    ...foldByDay(buckets, getGroup, days),
    before: earlier && shownSums(sumAll(earlier.map(getSums))),
    perDayBefore: earlier && foldDays(earlier, getDays(periodBefore(period))),
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
  const { client } = payer;
  const usage = await askGateway(() => client.usage(groupedBy('day', period), { signal }));
  const reported = await ifGrouped(client, groupedBy(getRequestedGroup(grouping), period), signal);
  const getGroup = await groupsFor(deps, grouping, reported?.data ?? [], payer, signal);
  const totals = getSums(usage.totals);
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
    before: before && shownSums(getSums(before.totals)),
    perDay: byDay ? foldDays(usage.data, days) : null,
    perDayBefore: before && foldDays(before.data, getDays(periodBefore(period))),
    ...(reported ? foldGroups(reported.data, getGroup, totals) : { groups: null, more: 0 }),
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
