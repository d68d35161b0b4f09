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
