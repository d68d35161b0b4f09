import fc from 'fast-check';
import { expect, test } from 'vitest';
import { daysOf, rangeOf } from './periods.ts';
import { axisOf } from './series.ts';

test('a period is whole UTC days and ends with today', () => {
  const now = Date.UTC(2026, 10, 21, 23, 59);
  expect(daysOf(rangeOf('7', now))).toEqual([
    '2026-11-15',
    '2026-11-16',
    '2026-11-17',
    '2026-11-18',
    '2026-11-19',
    '2026-11-20',
    '2026-11-21',
  ]);
  expect(daysOf(rangeOf('month', now)).length).toBe(21);
});

test('the axis holds the largest bar in at most six steps', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), (largest) => {
      const { top, steps } = axisOf(largest);
      expect(top).toBeGreaterThanOrEqual(largest * 0.999999);
      expect(steps.length).toBeLessThanOrEqual(7);
    }),
  );
});
