import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatUsd, formatUsdPerToken, mostNano, nanoUsd, parseUsd, parseUsdPerToken, picoUsd } from '#shared/money.ts';
import { count, tokens, usd, usdPerMillion } from './format.ts';

/** Reads a shown amount back as a decimal string. */
const read = (shown: string): string => shown.replaceAll(/[$,]/g, '');

test.each([
  ['9.9998305', '$9.9998305'],
  ['12.5', '$12.50'],
  ['0', '$0.00'],
  ['-0.0000195', '-$0.0000195'],
  ['1234567.000000001', '$1,234,567.000000001'],
])('%s is written %s', (amount, shown) => {
  expect(usd(amount)).toBe(shown);
});

test('every digit of an amount is shown, and never fewer than two decimals', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -mostNano, max: mostNano }), (nano) => {
      const shown = usd(formatUsd(nanoUsd(nano)));
      expect(shown).toMatch(/^-?\$[\d,]+\.\d{2,9}$/);
      expect(parseUsd(read(shown))).toBe(nano);
    }),
  );
});

test('a price per million is the price per token with its point moved, exactly', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: mostNano / 1_000_000n }), (pico) => {
      const shown = usdPerMillion(formatUsdPerToken(picoUsd(pico)));
      expect(parseUsdPerToken(read(shown))).toBe(pico * 1_000_000n);
    }),
  );
});

test('prices look as people know them', () => {
  expect(['0.00000075', '0.000025', '0.000000025', '0'].map(usdPerMillion)).toEqual([
    '$0.75',
    '$25.00',
    '$0.025',
    '$0.00',
  ]);
});

test('what is no amount is not made one', () => {
  expect(() => usd('1e3')).toThrow(RangeError);
  expect(() => usd('NaN')).toThrow(RangeError);
});

test('counts and context windows are grouped and rounded for reading', () => {
  expect([count(1_234_567), tokens(131_072), tokens(1_048_576), tokens(null)]).toEqual([
    '1,234,567',
    '131K',
    '1M',
    '—',
  ]);
});
