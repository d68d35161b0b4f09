import { expect, test } from 'vitest';
import { readUsage } from './read-usage.ts';

const day = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1000;

// Some gateways give the last day of the month, others the first day of the next. A time of day is taken literally.
test.each([
  ['2026-11-30', '2026-12-01'],
  ['2026-12-01', '2026-12-01'],
  ['2026-11-15', '2026-11-16'],
  ['2026-11-30T00:00:00Z', '2026-11-30'],
])('a period that ends with %s ends before %s', (end, before) => {
  const usage = readUsage({ requests: 3, cost_usd: '1', period: { start: '2026-11-01', end } }, 'model');
  expect(usage?.period).toMatchObject({ start: day('2026-11-01'), end: day(before) });
});
