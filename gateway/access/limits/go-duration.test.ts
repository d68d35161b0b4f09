import fc from 'fast-check';
import { expect, test } from 'vitest';
import { goDuration } from './rate-limit-lease.ts';

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** The grammar of Go's `time.ParseDuration`, for the units used here. */
function parseGo(text: string): number {
  expect(text).toMatch(/^(\d+(\.\d+)?(ms|[hms]))+$/);
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[hms])/g)];
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (unitMs[unit ?? ''] ?? Number.NaN), 0);
}

test.each([
  [0, '0s'],
  [12, '12ms'],
  [999, '999ms'],
  [1000, '1s'],
  [1500, '1.5s'],
  [59_999, '59.999s'],
  [60_000, '1m0s'],
  [360_000, '6m0s'],
  [3_600_000, '1h0m0s'],
  [-5, '0s'],
  [0.2, '1ms'],
])('%d milliseconds are %s', (milliseconds, text) => {
  expect(goDuration(milliseconds)).toBe(text);
});

test('every duration is one that Go reads as the same time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 * 3_600_000 }), (milliseconds) => {
      expect(parseGo(goDuration(milliseconds))).toBeCloseTo(milliseconds, 3);
    }),
  );
});
