import { asArray, isObject, type JsonObject } from '../../json/foreign-json.ts';
import { formatUsdPerToken, picoUsd } from '../../money.ts';

/** Readers for values in other gateways' answers, by the names and forms in which those write them. */

/** Returns the first of these fields that is present. A dot descends into an object: `plan.name`. */
export function getFirst(value: JsonObject, names: readonly string[]): unknown {
  for (const name of names) {
    let found: unknown = value;
    for (const part of name.split('.')) found = isObject(found) ? found[part] : undefined;
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

/** Reads a text. A number, such as a numeric id, is converted to text. */
export function getText(value: JsonObject, names: readonly string[]): string | null {
  const found = getFirst(value, names);
  if (typeof found === 'string' && found.trim() !== '') return found;
  return typeof found === 'number' ? String(found) : null;
}

/** Reads a non-negative integer, also from a text. */
export function getCount(value: JsonObject, names: readonly string[]): number | null {
  const found = getFirst(value, names);
  const number = typeof found === 'string' && /^\d{1,15}$/.test(found) ? Number(found) : found;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** Reads a list of texts. For objects in it, their id or name is used. Returns null if there is no list. */
export function getTexts(value: JsonObject, names: readonly string[]): string[] | null {
  const found = getFirst(value, names);
  if (!Array.isArray(found)) return null;
  return found.flatMap((item) =>
    isObject(item) ? (getText(item, ['id', 'name']) ?? []) : typeof item === 'string' ? item : [],
  );
}

/**
 * Reads the objects of the first of these lists that is present. An object of objects counts as the list of its values.
 */
export function getObjects(value: JsonObject, names: readonly string[]): JsonObject[] | null {
  const found = getFirst(value, names);
  if (!Array.isArray(found) && !isObject(found)) return null;
  return (Array.isArray(found) ? asArray(found) : Object.values(found)).filter(isObject);
}

/** Reads a point in time from seconds, milliseconds or an ISO date, as Unix seconds. */
export function getSeconds(value: JsonObject, names: readonly string[]): number | null {
  const found = getFirst(value, names);
  if (typeof found === 'number' && Number.isFinite(found) && found >= 0)
    return Math.floor(found > 99_999_999_999 ? found / 1000 : found);
  if (typeof found !== 'string') return null;
  const time = Date.parse(found);
  return Number.isNaN(time) || time < 0 ? null : Math.floor(time / 1000);
}

/**
 * Converts a price of `1 / 10 ** digits` USD for so many tokens to USD per token, exact to the pico-USD. A negative
 * price means "it depends", so it is unknown.
 */
export function priceIn(
  value: JsonObject,
  names: readonly string[],
  { tokens, digits }: { readonly tokens: 1 | 1000 | 1_000_000; readonly digits: number },
): string | null {
  const powers = { 1: 12, 1000: 9, 1000000: 6 } as const;
  return parsePricing(toScaled(getFirst(value, names), powers[tokens] - digits));
}

/** $0.01 per token. No provider charges more, so a higher price must be in another unit. */
const maxPerToken = 10_000_000_000n;

const parsePricing = (pico: bigint | null): string | null =>
  pico === null || pico < 0n || pico > maxPerToken ? null : formatUsdPerToken(picoUsd(pico));

/** Converts a decimal number to an integer scaled by `10 ** digits`, rounded half away from zero. */
export function toScaled(value: unknown, digits: number): bigint | null {
  const text = typeof value === 'number' ? toPlain(value) : typeof value === 'string' ? value.trim() : '';
  const match = /^(-?)\$?(\d{1,15})(?:\.(\d{1,40}))?$/.exec(text);
  if (!match) return null;
  const [, sign = '', whole = '0', fraction = ''] = match;
  const up = Number(fraction[digits] ?? '0') >= 5 ? 1n : 0n;
  const scaled = BigInt(`${whole}${fraction.slice(0, digits).padEnd(digits, '0')}`) + up;
  return sign === '-' ? -scaled : scaled;
}

/** Formats a number without an exponent. */
const toPlain = (value: number): string =>
  !Number.isFinite(value) ? '' : /e/.test(String(value)) ? value.toFixed(20) : String(value);
