import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatUsd, formatUsdPerToken, maxNano, nanoUsd, parseUsd, parseUsdPerToken, picoUsd } from '#shared/money.ts';
import { count, roundUsd, signedPerMillion, smallShare, tokens, usd, usdPerMillion } from './format.ts';

/** Converts a shown amount back to a decimal string. */
const read = (shown: string): string => shown.replaceAll(/[$,]/g, '');

test.each([
  ['9.9998305', '$9.9998305'],
  ['12.5', '$12.50'],
  ['0', '$0.00'],
  ['-0.0000195', '-$0.0000195'],
  ['1234567.000000001', '$1,234,567.000000001'],
])('%s is formatted as %s', (amount, shown) => {
  expect(usd(amount)).toBe(shown);
});

test.each([
  ['0.004231784', {}, '$0.004232'],
  ['0.004231784', { digits: 2 }, '$0.0042'],
  ['0.004231784', { digits: 2, towards: 'up' }, '$0.0043'],
  ['0.065', { digits: 2, towards: 'up' }, '$0.065'],
  ['0.5', {}, '$0.50'],
  ['0.999999', { digits: 2 }, '$1.00'],
  ['12.3449', {}, '$12.34'],
  ['12.341', { towards: 'up' }, '$12.35'],
  ['9.9998305', { towards: 'down' }, '$9.999'],
  ['1234.56789', {}, '$1,234.57'],
  ['1.23456', { digits: 2 }, '$1.23'],
  ['0', { digits: 2 }, '$0.00'],
  ['-0.0000195', { digits: 2 }, '-$0.00002'],
  ['0.000000001', { digits: 2, towards: 'up' }, '$0.000000001'],
] as const)('%s rounded with %j is %s', (amount, how, shown) => {
  expect(roundUsd(amount, how)).toBe(shown);
});

test('a rounded bound stays a bound and is at most a tenth more', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (nano) => {
      const bound = parseUsd(read(roundUsd(formatUsd(nanoUsd(nano)), { digits: 2, towards: 'up' })));
      expect(bound >= nano && bound * 10n <= nano * 11n).toBe(true);
    }),
  );
});

test('every digit of an amount is shown, and at least two decimals', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -maxNano, max: maxNano }), (nano) => {
      const shown = usd(formatUsd(nanoUsd(nano)));
      expect(shown).toMatch(/^-?\$[\d,]+\.\d{2,9}$/);
      expect(parseUsd(read(shown))).toBe(nano);
    }),
  );
});

test('a price per million is the price per token with its decimal point moved, exactly', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: maxNano / 1_000_000n }), (pico) => {
      const shown = usdPerMillion(formatUsdPerToken(picoUsd(pico)));
      expect(parseUsdPerToken(read(shown))).toBe(pico * 1_000_000n);
    }),
  );
});

test('prices are shown in dollars per million tokens', () => {
  expect(['0.000001', '-0.00000485', '0'].map(signedPerMillion)).toEqual(['+$1.00', '−$4.85', '±$0']);
  expect(['0.00000075', '0.000025', '0.000000025', '0'].map(usdPerMillion)).toEqual([
    '$0.75',
    '$25.00',
    '$0.025',
    '$0.00',
  ]);
});

test('a text that is no amount is refused', () => {
  expect(() => usd('1e3')).toThrow(RangeError);
  expect(() => usd('NaN')).toThrow(RangeError);
});

test('counts are grouped and context windows rounded for reading', () => {
  expect([count(1_234_567), tokens(131_072), tokens(1_048_576), tokens(null)]).toEqual([
    '1,234,567',
    '131K',
    '1M',
    '—',
  ]);
});

test('a small share is not shown as zero', () => {
  expect([0, 0.0003, 0.001, 0.004, 0.01, 0.5, 1].map(smallShare)).toEqual([
    '0%',
    '< 0.1%',
    '0.1%',
    '0.4%',
    '1%',
    '50%',
    '100%',
  ]);
});
