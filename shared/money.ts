/**
 * Exact money. The ledger counts integer nano-USD, prices are integer pico-USD per token, and the wire has decimal
 * strings in USD (wire contract §2.6). Amounts are never floats.
 */

/** Billionths of a US dollar. */
export type NanoUsd = bigint & { readonly nanoUsd: unique symbol };
/** Trillionths of a US dollar: a price per token or per request. */
export type PicoUsd = bigint & { readonly picoUsd: unique symbol };

export const nanoUsd = (value: bigint): NanoUsd => value as NanoUsd;
export const picoUsd = (value: bigint): PicoUsd => value as PicoUsd;

/** The largest amount in the ledger: a signed 64-bit integer, 9,223,372,036.854775807 USD. */
export const maxNano = nanoUsd(2n ** 63n - 1n);

const nanoDigits = 9;
const picoDigits = 12;
const decimal = /^(-?)(\d{1,18})(?:\.(\d+))?$/;

/**
 * Parses a decimal string such as `"12.5"`. Throws a `RangeError` for anything else, for more decimals than nano-USD
 * has, and beyond the ledger's range.
 */
export const parseUsd = (text: string): NanoUsd => nanoUsd(parseDecimal(text, nanoDigits));

/** Whether `parseUsd` accepts the text. */
export const isUsd = (text: string): boolean => isTakenBy(parseUsd, text);

/** Parses a price in USD per token, such as `"0.00000075"`, with up to twelve decimals. */
export const parseUsdPerToken = (text: string): PicoUsd => picoUsd(parseDecimal(text, picoDigits));

/** Whether `parseUsdPerToken` accepts the text. */
export const isUsdPerToken = (text: string): boolean => isTakenBy(parseUsdPerToken, text);

/**
 * Returns the canonical wire form without exponent or trailing zeros, with at most nine decimals: `"12.5"`, `"0"`,
 * `"-0.0000195"`.
 */
export const formatUsd = (amount: NanoUsd): string => formatDecimal(amount, nanoDigits);

/** Returns a price per token in wire form: `"0.00000075"`. */
export const formatUsdPerToken = (price: PicoUsd): string => formatDecimal(price, picoDigits);

/**
 * Rounds a sum of pico-USD up to the next nano-USD. This is done once per request, never per token (wire contract
 * §1.7).
 */
export const ceilToNano = (amount: PicoUsd): NanoUsd =>
  nanoUsd(amount <= 0n ? amount / 1000n : (amount + 999n) / 1000n);

function isTakenBy(parse: (text: string) => bigint, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function parseDecimal(text: string, digits: number): bigint {
  const match = decimal.exec(text);
  const fraction = match?.[3] ?? '';
  if (!match || fraction.replace(/0+$/, '').length > digits) {
    throw new RangeError(`"${text.slice(0, 40)}" is not a decimal amount with at most ${digits} decimals`);
  }
  const value = BigInt(`${match[2]}${fraction.slice(0, digits).padEnd(digits, '0')}`);
  if (value > maxNano) throw new RangeError(`"${text.slice(0, 40)}" is more than can be kept`);
  return match[1] === '-' ? -value : value;
}

function formatDecimal(value: bigint, digits: number): string {
  const sign = value < 0n ? '-' : '';
  const text = (value < 0n ? -value : value).toString().padStart(digits + 1, '0');
  const fraction = text.slice(-digits).replace(/0+$/, '');
  return `${sign}${text.slice(0, -digits)}${fraction ? `.${fraction}` : ''}`;
}
