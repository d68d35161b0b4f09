import type { ReportedBucket } from '#shared/client/reported.ts';
import type { UsageGroupSums, UsageReport, UsageSeries } from '#shared/contract/app/usage.ts';
import { type GroupOf, getKey, type NamedGroup } from './usage-groups.ts';
import { allOf, bySize, getShare, getSums, nothing, plus, type Sums, shownSums } from './usage-sums.ts';

/** More colours are not told apart; the rest is one of its own. */
const maxSeries = 5;
/** A longer table is nobody's; the rest is one row. */
const maxGroups = 200;

interface Group extends NamedGroup {
  sums: Sums;
  readonly days: Map<string, Sums>;
}

/** Groups and days that add up to the same sums, whatever they are grouped by. */
export function foldByDay(
  buckets: readonly ReportedBucket[],
  getGroup: GroupOf,
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
  const totals = allOf(perDay.values());
  return {
    totals: shownSums(totals),
    perDay: days.map((day) => shownSums(perDay.get(day) ?? nothing)),
    ...shownGroups(sorted, totals),
    series: getSeries(sorted, days),
  };
}

/** Groups without days: all that a gateway without intervals tells. */
export function foldGroups(buckets: readonly ReportedBucket[], getGroup: GroupOf, totals: Sums) {
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

export function foldDays(buckets: readonly ReportedBucket[], days: readonly string[]) {
  const perDay = new Map<string, Sums>();
  for (const bucket of buckets) {
    const day = within(days, bucket.day);
    perDay.set(day, plus(perDay.get(day) ?? nothing, getSums(bucket)));
  }
  return days.map((day) => shownSums(perDay.get(day) ?? nothing));
}

/** Where a clock was put back over midnight, an hour of the day before comes after its end: it stays in the period. */
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

const getSum = (groups: readonly { readonly sums: Sums }[]): Sums => allOf(groups.map(({ sums }) => sums));

function getSeries(sorted: readonly Group[], days: readonly string[]): UsageSeries[] {
  // One that is left over is told by its name rather than as the rest.
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
  const others = days.map((day) => shownSums(allOf(folded.flatMap((group) => group.days.get(day) ?? []))));
  return [...series, { ...rest, days: others }];
}
