import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ceilToNano,
  formatUsd,
  formatUsdPerToken,
  isUsd,
  maxNano,
  nanoUsd,
  parseUsd,
  parseUsdPerToken,
  picoUsd,
} from './money.ts';

test('an amount is the same after formatting and parsing', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (value) => {
      expect(parseUsd(formatUsd(nanoUsd(value)))).toBe(value);
    }),
  );
});

test('a price is the same after formatting and parsing', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (value) => {
      expect(parseUsdPerToken(formatUsdPerToken(picoUsd(value)))).toBe(value);
    }),
  );
});

test('amounts are written without exponent and trailing zeros', () => {
  const written = [12_500_000_000n, 0n, -19_500n, 1n, -1_000_000_000n].map((value) => formatUsd(nanoUsd(value)));
  expect(written).toEqual(['12.5', '0', '-0.0000195', '0.000000001', '-1']);
});

test.each(['', '1e3', '1.', '.5', '+1', ' 1', '0x1', 'NaN', '1.0000000001', '1,5', '--1'])('%j is refused', (text) => {
  expect(() => parseUsd(text)).toThrow(RangeError);
});

test('zeros beyond the last decimal are accepted', () => {
  expect(parseUsd('0.0000000010000')).toBe(1n);
});

test('rounding goes up by less than a nano-dollar', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), (pico) => {
      const rounded = ceilToNano(picoUsd(pico)) * 1000n;
      expect(rounded >= pico && rounded - pico < 1000n).toBe(true);
    }),
  );
});

test('the largest amount is the largest 64-bit integer, and a nano-dollar more is refused', () => {
  expect(parseUsd('9223372036.854775807')).toBe(maxNano);
  expect(isUsd('-9223372036.854775807')).toBe(true);
  for (const text of ['9223372036.854775808', '-9223372036.854775808', '9'.repeat(18), '9'.repeat(400)]) {
    expect(() => parseUsd(text)).toThrow(RangeError);
    expect(isUsd(text)).toBe(false);
  }
});
