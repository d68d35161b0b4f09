import { formatUsd, nanoUsd, parseUsd, parseUsdPerToken } from '#shared/money.ts';
import { locale, words } from './language.ts';

/**
 * Formats numbers, times and money. Money never becomes a float: `Intl` takes decimal strings and writes every digit.
 */
const decimal = /^-?\d+(\.\d+)?$/;
const exactUsd = new Intl.NumberFormat(locale, {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 20,
});
const integer = new Intl.NumberFormat(locale);
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const compactWhole = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 0 });
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });

/**
 * Formats a decimal string in USD exactly, with at least two decimals: `"9.9998305"` is `$9.9998305`, `"12.5"` is
 * `$12.50`.
 */
export function usd(amount: string): string {
  if (!decimal.test(amount)) throw new RangeError(`"${amount.slice(0, 40)}" is not a decimal amount`);
  return exactUsd.format(amount as Intl.StringNumericLiteral);
}

const nanoPerCent = 10_000_000n;

interface Rounding {
  /** The number of significant digits. Cents are always shown. */
  readonly digits?: number;
  /** `up` keeps an upper bound valid. `down` never shows more than there is. Both round by size, whatever the sign. */
  readonly towards?: 'nearest' | 'up' | 'down';
}

/**
 * Formats an amount for reading: four significant digits by default, but never without cents. Show the exact amount
 * too; `Money` does so on hover.
 */
export function roundUsd(amount: string, { digits = 4, towards = 'nearest' }: Rounding = {}): string {
  const nano = parseUsd(amount);
  const size = nano < 0n ? -nano : nano;
  const last = 10n ** BigInt(Math.max(0, size.toString().length - digits));
  const unit = last < nanoPerCent ? last : nanoPerCent;
  const more = { nearest: unit / 2n, up: unit - 1n, down: 0n }[towards];
  const rounded = ((size + more) / unit) * unit;
  return usd(formatUsd(nanoUsd(nano < 0n ? -rounded : rounded)));
}

/** Formats an estimate as a range, rounded outwards so that both bounds stay valid. */
export const usdRange = ({ low, high }: { readonly low: string; readonly high: string }): string =>
  `${roundUsd(low, { digits: 2, towards: 'down' })}–${roundUsd(high, { digits: 2, towards: 'up' }).replace('$', '')}`;

/** Formats an amount with an explicit plus sign, for lines of the ledger. */
export const signedUsd = (amount: string): string => (amount.startsWith('-') ? usd(amount) : `+${usd(amount)}`);

/** Formats a price per token as dollars per million tokens: `"0.00000075"` is `$0.75`. Only moves the decimal point. */
export function usdPerMillion(perToken: string): string {
  const text = parseUsdPerToken(perToken).toString().padStart(7, '0');
  return usd(`${text.slice(0, -6)}.${text.slice(-6)}`);
}

/** Formats a difference of prices per token as `+$1.00` or `−$4.85` per million tokens, or `±$0` for none. */
export function signedPerMillion(perToken: string): string {
  if (perToken === '0') return '±$0';
  return perToken.startsWith('-') ? `−${usdPerMillion(perToken.slice(1))}` : `+${usdPerMillion(perToken)}`;
}

export const count = (value: number): string => integer.format(value);
/** `128K`, `1M`, `2.1M`: rounded sizes such as context windows, never money. */
export const rough = (value: number): string => compact.format(value);
export const share = (ratio: number): string => percent.format(ratio);

const finePercent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
/** Formats a share. A small one is `< 0.1%`, so that it doesn't look like zero. */
export function smallShare(ratio: number): string {
  if (ratio > 0 && ratio < 0.001) return `< ${finePercent.format(0.001)}`;
  return ratio < 0.01 ? finePercent.format(ratio) : percent.format(ratio);
}
/** Returns how much of a limit is used, for a bar and a rounded percentage only. A limit of zero counts as used up. */
export const getRatio = (used: string, limit: string): number => (Number(limit) > 0 ? Number(used) / Number(limit) : 1);

/** Context windows are powers of two as often as of ten: 131,072 is shown as 131K, 1,048,576 as 1M. */
export const tokens = (value: number | null): string =>
  value === null ? '—' : value < 1_000_000 ? compactWhole.format(value) : rough(value);

/** Formats an amount in a currency’s own form (`€12.50`), or with the gateway’s word for its unit (`1,250 credits`). */
export function otherAmount({ amount, unit }: { readonly amount: string; readonly unit: string }) {
  const isCurrency = /^[A-Z]{3}$/.test(unit);
  const style = isCurrency ? ({ style: 'currency', currency: unit } as const) : {};
  const number = new Intl.NumberFormat(locale, { ...style, maximumFractionDigits: 9 });
  const written = number.format(amount as Intl.StringNumericLiteral);
  return { isCurrency, text: isCurrency ? written : `${written} ${unit}` };
}

const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' });
const dayUtc = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayYearUtc = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' });
const momentParts = { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' } as const;
const moment = new Intl.DateTimeFormat(locale, momentParts);
const second = new Intl.DateTimeFormat(locale, { ...momentParts, second: '2-digit' });
const clock = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' });
const text = words({ justNow: 'just now' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

export const getDay = (timeMs: number): string => day.format(timeMs);
/** Formats a UTC day of the ledger: `2026-11-21` → `Nov 21`. */
export const utcDay = (isoDay: string): string => dayUtc.format(Date.parse(`${isoDay}T00:00:00Z`));
/** Formats a range of days of the ledger, both included: `Oct 26 – Nov 24, 2026`. */
export const dayRange = (first: string, last: string): string =>
  dayYearUtc.formatRange(Date.parse(`${first}T00:00:00Z`), Date.parse(`${last}T00:00:00Z`));
export const formatMonth = (timeMs: number): string => month.format(timeMs);
export const formatMoment = (timeMs: number): string => moment.format(timeMs);
/** Formats a time with seconds, for things named only by their time and possibly created twice a minute. */
export const getSecond = (timeMs: number): string => second.format(timeMs);
/** Formats like `formatMoment`, but in a given time zone. */
export const momentIn = (zone: string, timeMs: number): string =>
  new Intl.DateTimeFormat(locale, { ...momentParts, timeZone: zone }).format(timeMs);
export const formatClock = (timeMs: number): string => clock.format(timeMs);

/** `4 minutes ago`. */
export function since(thenMs: number, nowMs: number): string {
  const seconds = Math.round((thenMs - nowMs) / 1000);
  if (Math.abs(seconds) < 45) return text.justNow;
  if (Math.abs(seconds) < 3600) return relative.format(Math.round(seconds / 60), 'minute');
  if (Math.abs(seconds) < 86_400) return relative.format(Math.round(seconds / 3600), 'hour');
  return relative.format(Math.round(seconds / 86_400), 'day');
}

const plural = new Intl.PluralRules(locale);
/** `1 request`, `2 requests`. */
export const counted = (value: number, single: string, many: string): string =>
  `${count(value)} ${plural.select(value) === 'one' ? single : many}`;

const megabytes = new Intl.NumberFormat(locale, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 });
/** Formats a file's size: `4.2 MB`. */
export const bytes = (value: number): string => megabytes.format(value / 1_000_000);
