import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dayMs, splitByDays } from './period.ts';

test('a period splits into its full days and the partial days around them, without a gap', () => {
  const moment = fc.integer({ min: 0, max: 5 * dayMs });
  fc.assert(
    fc.property(moment, fc.constantFrom(0, 1, dayMs - 1, dayMs, 2 * dayMs, 3 * dayMs + 7), (startMs, length) => {
      const endMs = startMs + length;
      const { first, days, last } = splitByDays({ startMs, endMs });
      expect([first.startMs, first.endMs, days.endMs, last.endMs]).toEqual([
        startMs,
        days.startMs,
        last.startMs,
        endMs,
      ]);
      for (const part of [first, days, last]) expect(part.endMs).toBeGreaterThanOrEqual(part.startMs);
      for (const part of [first, last]) expect(part.endMs - part.startMs).toBeLessThan(dayMs);
      if (days.startMs < days.endMs) expect([days.startMs % dayMs, days.endMs % dayMs]).toEqual([0, 0]);
    }),
  );
});
