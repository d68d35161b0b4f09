import type { JsonObject } from '../../json/foreign-json.ts';
import { formatUsd, isUsd, nanoUsd } from '../../money.ts';
import type { OtherAmount } from '../reported.ts';
import { findAmount } from './money-units.ts';
import { toScaled } from './values.ts';

/**
 * Reads an amount in USD, rounded to nano-USD: a number, a decimal text, a value within `{ amount, currency }`, or one
 * in cents. Returns null if the gateway counts in another unit.
 */
export function getUsd(fields: JsonObject, names: readonly string[]): string | null {
  const found = findAmount(fields, names);
  if (found?.unit.kind !== 'usd') return null;
  const nano = toScaled(found.value, 9 - found.unit.digits);
  const usd = nano === null ? null : formatUsd(nanoUsd(nano));
  return usd !== null && isUsd(usd) ? usd : null;
}

/** Reads an amount in another unit than USD, as the gateway counts it. Returns null if there is none. */
export function getOtherAmount(fields: JsonObject, names: readonly string[]): OtherAmount | null {
  const found = findAmount(fields, names);
  if (found?.unit.kind !== 'other') return null;
  const nano = toScaled(found.value, 9 - found.unit.digits);
  return nano === null ? null : { amount: formatUsd(nanoUsd(nano)), unit: found.unit.name };
}
