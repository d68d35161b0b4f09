import type { UsagePeriod, UsageReport } from '#shared/contract/app/usage.ts';
import { addDays, dayIn, daysBetween } from '#shared/days.ts';

export const presets = ['7', '30', '90', 'month', 'custom'] as const;
export type Preset = (typeof presets)[number];

/** The gateway sums up at most this many days. */
export const maxDays = 366;

export type Days = Pick<UsagePeriod, 'first' | 'last'>;

const formatMonth = (day: string): string => day.slice(0, 7);
const getFirst = (day: string): string => `${formatMonth(day)}-01`;

/**
 * Returns a period that ends today, or the current month up to today. `back` steps that many periods back; an earlier
 * month is complete.
 */
export function getPresetDays(preset: Exclude<Preset, 'custom'>, back: number, today: string): Days {
  if (preset !== 'month') {
    const last = addDays(today, -back * Number(preset));
    return { first: addDays(last, 1 - Number(preset)), last };
  }
  let first = getFirst(today);
  for (let month = 0; month < back; month += 1) first = getFirst(addDays(first, -1));
  return { first, last: back === 0 ? today : addDays(getFirst(addDays(first, 31)), -1) };
}

/** Moves a range back by `back` times its own length. */
export function daysBack({ first, last }: Days, back: number): Days {
  const length = daysBetween(first, last).length;
  return { first: addDays(first, -length * back), last: addDays(last, -length * back) };
}

/** Parses a stored range such as `2026-11-01/2026-11-21`. Null if it is invalid or too long. */
export function readRange(text: string | undefined): Days | null {
  const [first = '', last = ''] = (text ?? '').split('/');
  const isDay = (day: string) => /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day));
  if (!isDay(first) || !isDay(last) || first > last) return null;
  return daysBetween(first, last).length > maxDays ? null : { first, last };
}

export const rangeText = ({ first, last }: Days): string => `${first}/${last}`;

export const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
export const todayIn = (zone: string): string => dayIn(zone, Date.now());

/**
 * Counts the days from the first use in the period, or all days if there was use before it. Zero if the figures aren't
 * of this period.
 */
export function countDaysOfUse({
  ofPeriod,
  days,
  perDay,
  before,
}: Pick<UsageReport, 'ofPeriod' | 'days' | 'perDay' | 'before'>): number {
  if (!ofPeriod) return 0;
  const first = perDay?.findIndex(({ requests }) => requests !== 0) ?? 0;
  return first <= 0 || before?.requests !== 0 ? days.length : days.length - first;
}
