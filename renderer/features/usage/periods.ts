export const periods = ['7', '30', '90', 'month'] as const;
export type Period = (typeof periods)[number];

const dayMs = 86_400_000;

/** Start and end of a period in whole UTC days, today included. `end` is exclusive. */
export function rangeOf(period: Period, nowMs: number): { start: number; end: number } {
  const now = new Date(nowMs);
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const start =
    period === 'month' ? Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) : today - (Number(period) - 1) * dayMs;
  return { start, end: today + dayMs };
}

/** The same number of days before a range. */
export const rangeBefore = ({ start, end }: { start: number; end: number }) => ({
  start: start - (end - start),
  end: start,
});

/** The days of a range as `YYYY-MM-DD`. */
export function daysOf({ start, end }: { start: number; end: number }): string[] {
  return Array.from({ length: Math.round((end - start) / dayMs) }, (_, at) =>
    new Date(start + at * dayMs).toISOString().slice(0, 10),
  );
}
