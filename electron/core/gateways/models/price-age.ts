import type { Model } from '#shared/wire/model.ts';

const dayMs = 86_400_000;
/** Vendors change prices a few times a year. A price that was checked longer ago than this is marked as old. */
const staleAfterDays = 30;

/**
 * Returns how many days ago a model's price was checked, if that is long ago. Null if it is recent, simulated, or of an
 * unknown day.
 */
export function staleDays({ pricing, simulated }: Model, nowMs: number): number | null {
  if (simulated || pricing?.as_of == null) return null;
  const days = Math.floor((nowMs - Date.parse(`${pricing.as_of}T00:00:00Z`)) / dayMs);
  return days > staleAfterDays ? days : null;
}
