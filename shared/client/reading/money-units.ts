import { isObject, type JsonObject } from '../../json/foreign-json.ts';
import { getFirst, getText } from './values.ts';

/** The unit in which a gateway counts money. `digits` is 2 if its numbers are hundredths, such as cents. */
export type MoneyUnit =
  | { readonly kind: 'usd'; readonly digits: number }
  /** `name` is a currency code or a word such as `credits`. Such amounts are never converted. */
  | { readonly kind: 'other'; readonly name: string; readonly digits: number };

const usd: MoneyUnit = { kind: 'usd', digits: 0 };
const dollarWords = new Set(['usd', 'us', '$', 'us$', 'dollar', 'dollars']);
const centWords = new Set(['cent', 'cents', '¢']);
const currencySigns: Readonly<Record<string, string>> = {
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  euro: 'EUR',
  euros: 'EUR',
};
const currencyCodes = new Set(Intl.supportedValuesOf('currency'));
/** Units that name what is counted, such as tokens, not the money. */
const countWords = new Set(['token', 'tokens', 'request', 'requests', 'call', 'calls']);

/** Splits a unit into words: `USD_PER_1M_TOKENS` becomes `usd`, `per`, `1m`, `tokens`. */
export const unitWords = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/(\d)[_,\s](?=\d{3}(?!\d))/g, '$1')
    .split(/[^a-z0-9$¢€£¥₹]+/)
    .filter((word) => word !== '');

/** Returns the currency code for a word or sign; null if it names no currency. */
const getCurrency = (word: string): string | null =>
  currencySigns[word] ?? (currencyCodes.has(word.toUpperCase()) ? word.toUpperCase() : null);

/** Parses a unit of money. Returns null if the text names no money. */
export function parseMoneyUnit(text: string): MoneyUnit | null {
  const words = unitWords(text).filter((word) => word !== 'in' && word !== 'minor' && word !== 'units');
  const digits = words.some((word) => centWords.has(word)) ? 2 : 0;
  const names = words.filter((word) => !centWords.has(word));
  if (names.length === 0) return digits === 0 ? null : { kind: 'usd', digits };
  if (names.every((word) => dollarWords.has(word))) return { kind: 'usd', digits };
  const [first = ''] = names;
  const currency = names.length === 1 ? getCurrency(first) : null;
  return { kind: 'other', name: currency ?? text.trim(), digits };
}

/**
 * Returns the unit that these fields name, or null if they name none. Callers then assume dollars, as most gateways do.
 */
export function getMoneyUnit(fields: JsonObject): MoneyUnit | null {
  const currency = getText(fields, ['currency', 'currency_code']);
  const unitName = getText(fields, ['unit', 'units']);
  const unit = unitName === null || countWords.has(unitName.toLowerCase()) ? null : parseMoneyUnit(unitName);
  if (currency === null) return unit;
  const counted = parseMoneyUnit(currency);
  const digits = Math.max(counted?.digits ?? 0, unit?.digits ?? 0);
  return counted && { ...counted, digits };
}

/** Copies the unit of the surrounding object into fields that name no unit themselves. */
export function withMoneyUnit(fields: JsonObject, around: JsonObject): JsonObject {
  if (getText(fields, ['currency', 'currency_code', 'unit', 'units']) !== null) return fields;
  const { currency, currency_code, unit, units } = around;
  const named = Object.entries({ currency, currency_code, unit, units }).filter(
    ([, value]) => typeof value === 'string',
  );
  return { ...Object.fromEntries(named), ...fields };
}

/** Fields whose amounts are of the account's unit where they name none themselves. Null: dollars, as most gateways write them. */
export const inUnit = (fields: JsonObject, unit: string | null): JsonObject =>
  unit === null || getMoneyUnit(fields) !== null ? fields : { ...fields, currency: unit };

/** An amount with its unit. `value` is as the gateway wrote it. */
export interface FoundAmount {
  readonly value: unknown;
  readonly unit: MoneyUnit;
}

/**
 * Returns the first of these amounts that is present: under its name, in cents (`balance_cents`), or as an object that
 * contains an amount.
 */
export function findAmount(fields: JsonObject, names: readonly string[]): FoundAmount | null {
  const around = getMoneyUnit(fields);
  for (const name of names) {
    const found = getFirst(fields, [name]);
    if (isObject(found)) {
      const inside = withMoneyUnit(found, fields);
      const amount = findAmount(inside, ['amount', 'value', 'usd', 'total', 'balance', 'available']);
      if (amount) return amount;
    } else if (found !== undefined) {
      return getWritten(found, /(^|_)usd(_|$)/.test(name) ? usd : (around ?? usd));
    }
    const inCents = getFirst(fields, centNames(name));
    if (inCents !== undefined) return getWritten(inCents, { ...(around ?? usd), digits: 2 });
  }
  return null;
}

const centNames = (name: string): string[] => {
  const plain = name.replace(/_usd$/, '');
  return [`${plain}_cents`, `${plain}_in_cents`, `${plain}_usd_cents`];
};

/** Reads a number, or a text that may include its currency: `€12.50`, `12.50 EUR`. */
function getWritten(value: unknown, unit: MoneyUnit): FoundAmount {
  const text = typeof value === 'string' ? value.trim() : '';
  const match = /^(-?)\s*([€£¥₹]|[A-Za-z]{3}\b)?\s*([\d.,]+)\s*([€£¥₹]|[A-Za-z]{3})?$/.exec(text);
  const sign = match?.[2] ?? match?.[4];
  if (!match || sign === undefined) return { value, unit };
  const ownUnit = parseMoneyUnit(sign);
  return ownUnit ? { value: `${match[1]}${match[3]}`, unit: ownUnit } : { value, unit };
}
