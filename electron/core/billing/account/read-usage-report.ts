import type { ReportedBucket, ReportedUsage } from '#shared/client/reported.ts';
import type { UsageGroupId, UsageGrouping, UsagePeriod, UsageReport } from '#shared/contract/app/usage.ts';
import { dayIn, daysBetween } from '#shared/days.ts';
import type { UsageGroup } from '#shared/wire/usage.ts';
import type { Payer } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import { bucketsByDay, ifGrouped, periodBefore, secondsOf } from './ask-usage.ts';
import { type GroupDeps, groupsFor, toldGroup } from './usage-groups.ts';
import { foldByDay, foldDays, foldGroups } from './usage-report.ts';
import { allOf, countersFor, shownSums, sumsOf } from './usage-sums.ts';

/** Usage of a period as the app shows it, from whatever the gateway in use tells of it. Throws `AppError`. */
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

/** The books have $0 for a request of which nobody knows the cost: that is not what it cost. */
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
  const told = await bucketsByDay(client, toldGroup(grouping), period, signal);
  if (told === null) return plainReport(deps, payer, grouping, { ...period, zone: 'UTC' }, signal);
  const buckets = told.map(counters);
  const [groupOf, toldEarlier] = await Promise.all([
    groupsFor(deps, grouping, buckets, payer, signal),
    bucketsByDay(client, 'day', periodBefore(period), signal),
  ]);
  const earlier = toldEarlier?.map(counters) ?? null;
  const days = daysOf(period);
  return {
    groupBy: grouping,
    days,
    zone: period.zone,
    ofPeriod: true,
    ownPeriod: null,
    ...foldByDay(buckets, groupOf, days),
    before: earlier && shownSums(allOf(earlier.map(sumsOf))),
    perDayBefore: earlier && foldDays(earlier, daysOf(periodBefore(period))),
  };
}

const daysOf = ({ first, last }: UsagePeriod): string[] => daysBetween(first, last);
const groupedBy = (group: UsageGroup, period: UsagePeriod) => ({ group_by: group, ...secondsOf(period) });

/** Of a gateway with the interface's own questions alone: UTC days and groups, each by itself, and of each only what it tells. */
async function plainReport(
  deps: GroupDeps,
  payer: Pick<Payer, 'client' | 'source'>,
  grouping: UsageGrouping,
  period: UsagePeriod,
  signal: AbortSignal,
): Promise<UsageReport> {
  const { client } = payer;
  const usage = await askGateway(() => client.usage(groupedBy('day', period), { signal }));
  const told = await ifGrouped(client, groupedBy(toldGroup(grouping), period), signal);
  const groupOf = await groupsFor(deps, grouping, told?.data ?? [], payer, signal);
  const totals = sumsOf(usage.totals);
  const ofPeriod = isOf(usage.period, period);
  const byDay = usage.grouped !== false && usage.group_by === 'day';
  const earlier = ofPeriod ? await ifGrouped(client, groupedBy('day', periodBefore(period)), signal) : null;
  const before = isOf(earlier?.period ?? null, periodBefore(period)) ? earlier : null;
  const days = daysOf(period);
  return {
    groupBy: grouping,
    days,
    zone: 'UTC',
    ofPeriod,
    ownPeriod: ofPeriod ? null : ownPeriodOf(usage.period),
    totals: shownSums(totals),
    before: before && shownSums(sumsOf(before.totals)),
    perDay: byDay ? foldDays(usage.data, days) : null,
    perDayBefore: before && foldDays(before.data, daysOf(periodBefore(period))),
    ...(told ? foldGroups(told.data, groupOf, totals) : { groups: null, more: 0 }),
    series: null,
  };
}

type Told = ReportedUsage['period'];

/** Whether figures are of the period that was asked for. Some count the last day in, and some do not. */
function isOf(told: Told, period: UsagePeriod): boolean {
  const { start, end } = secondsOf(period);
  return told !== null && told.start === start && Math.abs(told.end - end) <= daySeconds;
}

const daySeconds = 86_400;

const ownPeriodOf = (told: Told): UsageReport['ownPeriod'] =>
  told && { first: dayIn('UTC', told.start * 1000), last: dayIn('UTC', Math.max(told.start, told.end - 1) * 1000) };
