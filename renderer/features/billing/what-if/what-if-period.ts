import type { UsagePeriod } from '#shared/contract/app/usage.ts';
import { addDays, isTimeZone, startOfDay } from '#shared/days.ts';
import { rangeText, readRange } from '../usage/periods.ts';

export const whatIfPeriods = ['7', '30', '90', 'month', 'year'] as const;
export type WhatIfPeriod = (typeof whatIfPeriods)[number];

const dayMs = 86_400_000;

/** Start and end of a period in whole UTC days, today included. `end` is exclusive. */
export function whatIfRange(period: WhatIfPeriod, nowMs: number): { start: number; end: number } {
  const end = Math.floor(nowMs / dayMs) * dayMs + dayMs;
  const now = new Date(nowMs);
  if (period === 'month') return { start: Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1), end };
  if (period === 'year')
    return { start: Date.UTC(now.getUTCFullYear() - 1, now.getUTCMonth(), now.getUTCDate() + 1), end };
  return { start: end - Number(period) * dayMs, end };
}

/** Days of a time zone, both included, as the address has them: `days=2026-10-26/2026-11-24&zone=Europe/Berlin`. */
export function givenDays(search: string): UsagePeriod | null {
  const given = new URLSearchParams(search);
  const days = readRange(given.get('days') ?? undefined);
  const zone = given.get('zone') ?? 'UTC';
  return days && isTimeZone(zone) ? { ...days, zone } : null;
}

/** The address of the page; `days` null: the kept period. */
export function whatIfSearch(picked: readonly string[], days: UsagePeriod | null): string {
  const parts = {
    ...(picked.length > 0 && { pick: picked.join(',') }),
    ...(days && { days: rangeText(days) }),
    ...(days && days.zone !== 'UTC' && { zone: days.zone }),
  };
  return new URLSearchParams(parts).toString();
}

/** Start and end of given days. `end` is exclusive. */
export const rangeOfDays = ({ first, last, zone }: UsagePeriod): { start: number; end: number } => ({
  start: startOfDay(zone, first),
  end: startOfDay(zone, addDays(last, 1)),
});
