import { asArray, isObject, type JsonObject } from '../../json/foreign-json.ts';
import { formatUsdPerToken, picoUsd } from '../../money.ts';

/** Values of other gateways' answers, under the names and in the forms that they have there. Null: not fields. */

/** The first of these fields that is there. A dot leads into an object: `plan.name`. */
export function getFirst(value: JsonObject, names: readonly string[]): unknown {
  for (const name of names) {
    let found: unknown = value;
    for (const part of name.split('.')) found = isObject(found) ? found[part] : undefined;
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

/** A text; a number that stands for one, such as an id, is written out. */
export function getText(value: JsonObject, names: readonly string[]): string | null {
  const found = getFirst(value, names);
  if (typeof found === 'string' && found.trim() !== '') return found;
  return typeof found === 'number' ? String(found) : null;
}

/** A non-negative whole number, also as a text. */
export function getCount(value: JsonObject, names: readonly string[]): number | null {
  const found = getFirst(value, names);
  const number = typeof found === 'string' && /^\d{1,15}$/.test(found) ? Number(found) : found;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** Texts of a list; of objects their id or name. Null: no list. */
export function getTexts(value: JsonObject, names: readonly string[]): string[] | null {
  const found = getFirst(value, names);
  if (!Array.isArray(found)) return null;
  return found.flatMap((one) =>
    isObject(one) ? (getText(one, ['id', 'name']) ?? []) : typeof one === 'string' ? one : [],
  );
}

/** Objects of the first of these lists. An object of objects is taken as a list of its values. */
export function getObjects(value: JsonObject, names: readonly string[]): JsonObject[] | null {
  const found = getFirst(value, names);
  if (!Array.isArray(found) && !isObject(found)) return null;
  return (Array.isArray(found) ? asArray(found) : Object.values(found)).filter(isObject);
}

/** A point in time in Unix seconds: from seconds, milliseconds or an ISO date. */
export function getSeconds(value: JsonObject, names: readonly string[]): number | null {
  const found = getFirst(value, names);
  if (typeof found === 'number' && Number.isFinite(found) && found >= 0)
    return Math.floor(found > 99_999_999_999 ? found / 1000 : found);
  if (typeof found !== 'string') return null;
  const time = Date.parse(found);
  return Number.isNaN(time) || time < 0 ? null : Math.floor(time / 1000);
}

/**
 * A price of `1 / 10 ** digits` USD for so many tokens, as a price in USD for one, up to a pico-USD. A negative one means "it
 * depends", which is not known.
 */
export function priceIn(
  value: JsonObject,
  names: readonly string[],
  { tokens, digits }: { readonly tokens: 1 | 1000 | 1_000_000; readonly digits: number },
): string | null {
  const powers = { 1: 12, 1000: 9, 1000000: 6 } as const;
  return parsePricing(toScaled(getFirst(value, names), powers[tokens] - digits));
}

/** $0.01 for a token: what nobody would ask is another unit. */
const dearestToken = 10_000_000_000n;

const parsePricing = (pico: bigint | null): string | null =>
  pico === null || pico < 0n || pico > dearestToken ? null : formatUsdPerToken(picoUsd(pico));

/** A decimal as a whole number of its last digits, rounded half away from zero. */
export function toScaled(value: unknown, digits: number): bigint | null {
  const text = typeof value === 'number' ? toPlain(value) : typeof value === 'string' ? value.trim() : '';
  const match = /^(-?)\$?(\d{1,15})(?:\.(\d{1,40}))?$/.exec(text);
  if (!match) return null;
  const [, sign = '', whole = '0', fraction = ''] = match;
  const up = Number(fraction[digits] ?? '0') >= 5 ? 1n : 0n;
  const scaled = BigInt(`${whole}${fraction.slice(0, digits).padEnd(digits, '0')}`) + up;
  return sign === '-' ? -scaled : scaled;
}

/** A number as JSON has it, without an exponent. */
const toPlain = (value: number): string =>
  !Number.isFinite(value) ? '' : /e/.test(String(value)) ? value.toFixed(20) : String(value);
