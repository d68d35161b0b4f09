import type { ReportedBucket, ReportedUsage } from '#shared/client/reported.ts';
import type { UsageGroupId, UsageGrouping, UsagePeriod, UsageReport } from '#shared/contract/app/usage.ts';
import { dayIn, daysBetween } from '#shared/days.ts';
import type { UsageGroup } from '#shared/wire/usage.ts';
import type { Payer } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import { bucketsByDay, getSeconds, ifGrouped, periodBefore } from './ask-usage.ts';
import { type GroupDeps, groupsFor, toldGroup } from './usage-groups.ts';
import { foldByDay, foldDays, foldGroups } from './usage-report.ts';
import { allOf, countersFor, getSums, shownSums } from './usage-sums.ts';

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
  const [getGroup, toldEarlier] = await Promise.all([
    groupsFor(deps, grouping, buckets, payer, signal),
    bucketsByDay(client, 'day', periodBefore(period), signal),
  ]);
  const earlier = toldEarlier?.map(counters) ?? null;
  const days = getDays(period);
  return {
    groupBy: grouping,
    days,
    zone: period.zone,
    ofPeriod: true,
    ownPeriod: null,
    ...foldByDay(buckets, getGroup, days),
    before: earlier && shownSums(allOf(earlier.map(getSums))),
    perDayBefore: earlier && foldDays(earlier, getDays(periodBefore(period))),
  };
}

const getDays = ({ first, last }: UsagePeriod): string[] => daysBetween(first, last);
const groupedBy = (group: UsageGroup, period: UsagePeriod) => ({ group_by: group, ...getSeconds(period) });

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
  const getGroup = await groupsFor(deps, grouping, told?.data ?? [], payer, signal);
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
    ...(told ? foldGroups(told.data, getGroup, totals) : { groups: null, more: 0 }),
    series: null,
  };
}

type Told = ReportedUsage['period'];

/** Whether figures are of the period that was asked for. Some count the last day in, and some do not. */
function belongsTo(told: Told, period: UsagePeriod): boolean {
  const { start, end } = getSeconds(period);
  return told !== null && told.start === start && Math.abs(told.end - end) <= daySeconds;
}

const daySeconds = 86_400;

const getOwnPeriod = (told: Told): UsageReport['ownPeriod'] =>
  told && { first: dayIn('UTC', told.start * 1000), last: dayIn('UTC', Math.max(told.start, told.end - 1) * 1000) };
