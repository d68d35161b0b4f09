import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { UsageSums } from '#shared/contract/app/usage.ts';
import { daysBetween } from '#shared/days.ts';
import { countDaysOfUse, daysBack, getPresetDays, readRange } from './periods.ts';
import { formatExact, formatRounded, getAxis } from './series.ts';

test('a preset period ends today, and earlier periods follow without a gap', () => {
  expect(getPresetDays('7', 0, '2026-11-21')).toEqual({ first: '2026-11-15', last: '2026-11-21' });
  expect(getPresetDays('7', 1, '2026-11-21')).toEqual({ first: '2026-11-08', last: '2026-11-14' });
  expect(daysBack({ first: '2026-03-01', last: '2026-03-10' }, 1)).toEqual({ first: '2026-02-19', last: '2026-02-28' });
});

test('the current month ends today, and earlier months are complete', () => {
  expect(getPresetDays('month', 0, '2026-03-31')).toEqual({ first: '2026-03-01', last: '2026-03-31' });
  expect(getPresetDays('month', 1, '2026-03-31')).toEqual({ first: '2026-02-01', last: '2026-02-28' });
  expect(getPresetDays('month', 3, '2026-03-31')).toEqual({ first: '2025-12-01', last: '2025-12-31' });
  expect(getPresetDays('month', 13, '2025-03-01')).toEqual({ first: '2024-02-01', last: '2024-02-29' });
});

test('a stored range is used only if it is valid and not too long', () => {
  expect(readRange('2026-11-01/2026-11-21')).toEqual({ first: '2026-11-01', last: '2026-11-21' });
  for (const text of ['2026-11-21/2026-11-01', '2024-01-01/2026-01-01', '2026-13-01/2026-14-01', '/', '', undefined])
    expect([text, readRange(text)]).toEqual([text, null]);
  fc.assert(
    fc.property(fc.string(), (text) => {
      const range = readRange(text);
      if (range) expect(daysBetween(range.first, range.last).length).toBeGreaterThan(0);
    }),
  );
});

test('the average per day starts at the first day of use, unless there was use before the period', () => {
  const days = ['2026-11-24', '2026-11-25', '2026-11-26', '2026-11-27'];
  const sums = (requests: number) => ({ requests }) as UsageSums;
  const perDay = [0, 0, 3, 0].map(sums);
  const count = (change: object) => countDaysOfUse({ ofPeriod: true, days, perDay, before: sums(0), ...change });
  expect(count({})).toBe(2);
  expect(count({ before: sums(5) })).toBe(4);
  expect(count({ before: null })).toBe(4);
  expect(count({ perDay: null })).toBe(4);
  expect(count({ perDay: [1, 0, 3, 0].map(sums) })).toBe(4);
  expect(count({ ofPeriod: false })).toBe(0);
});

test('an amount shows how many costs are unknown, and never $0.00 when all are', () => {
  expect(formatExact({ amount: '0.312900001', unknown: 3 })).toBe('$0.312900001 + 3 unknown');
  expect(formatRounded({ amount: '0.312900001', unknown: 3 })).toBe('$0.3129 + 3 unknown');
  expect(formatExact({ amount: '0', unknown: 1 })).toBe('1 unknown');
  expect(formatExact({ amount: null, unknown: 2 })).toBe('2 unknown');
  expect(formatExact({ amount: '0', unknown: 0 })).toBe('$0.00');
  expect(formatExact({ amount: null, unknown: null })).toBe('—');
});

test('the axis covers the largest bar in at most six steps, and counts use whole numbers', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), fc.boolean(), (largest, whole) => {
      const { top, steps } = getAxis(largest, whole);
      expect(top).toBeGreaterThanOrEqual(largest * 0.999999);
      expect(steps.length).toBeLessThanOrEqual(7);
      if (whole) expect(steps.every(Number.isInteger)).toBe(true);
    }),
  );
});
