/** Milliseconds since the epoch; `endMs` is exclusive. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

export const dayMs = 86_400_000;

/** Returns when the UTC day of a moment ends, in milliseconds since the epoch. */
export const endOfDay = (now: number): number => now - (now % dayMs) + dayMs;

/** Returns the UTC calendar month that contains a moment. */
export function currentMonth(now: number): Period {
  const date = new Date(now);
  return {
    startMs: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1),
    endMs: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1),
  };
}

/**
 * Splits a period into its full UTC days, for which daily counters exist, and the parts of days before and after them. Any part
 * may be empty.
 */
export function splitByDays({ startMs, endMs }: Period): Readonly<Record<'first' | 'days' | 'last', Period>> {
  const from = Math.min(Math.ceil(startMs / dayMs) * dayMs, endMs);
  const to = Math.max(Math.floor(endMs / dayMs) * dayMs, from);
  return {
    first: { startMs, endMs: from },
    days: { startMs: from, endMs: from % dayMs === 0 ? to : from },
    last: { startMs: to, endMs },
  };
}

export const formatMonth = (day: string): string => day.slice(0, 7);

let lastDay = { number: 0, text: '1970-01-01' };

/** Returns `YYYY-MM-DD` in UTC. Nearly every call asks for the same day as the call before, so the last result is cached. */
export function getDay(milliseconds: number): string {
  const number = Math.floor(milliseconds / dayMs);
  if (number !== lastDay.number) lastDay = { number, text: new Date(milliseconds).toISOString().slice(0, 10) };
  return lastDay.text;
}
