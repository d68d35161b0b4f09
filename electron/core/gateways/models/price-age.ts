import type { Model } from '#shared/wire/model.ts';

const dayMs = 86_400_000;
/** Vendors change prices a few times a year; a price that nobody looked at for so long is said to be old. */
const staleAfterDays = 30;

/** How many days ago a model's price was published, where that is long; null: recent, made up, or of an unknown day. */
export function staleDays({ pricing, simulated }: Model, nowMs: number): number | null {
  if (simulated || pricing?.as_of == null) return null;
  const days = Math.floor((nowMs - Date.parse(`${pricing.as_of}T00:00:00Z`)) / dayMs);
  return days > staleAfterDays ? days : null;
}
