/** Milliseconds since the epoch; `endMs` is exclusive. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

export const dayMs = 86_400_000;

/** The calendar month in UTC that a moment lies in. */
export function currentMonth(now: number): Period {
  const date = new Date(now);
  return {
    startMs: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1),
    endMs: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1),
  };
}

/** Whether a period consists of whole UTC days, so that the daily counters answer for it. */
export const isWholeDays = (period: Period): boolean => period.startMs % dayMs === 0 && period.endMs % dayMs === 0;
