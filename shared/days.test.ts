import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, dayIn, daysBetween, isTimeZone, offsetsIn, startOfDay } from './days.ts';

const hour = 3_600_000;

test.each([
  ['Europe/Berlin', '2026-03-29', 23],
  ['Europe/Berlin', '2026-10-25', 25],
  ['America/New_York', '2026-03-08', 23],
  ['America/New_York', '2026-11-01', 25],
  ['Pacific/Auckland', '2026-09-27', 23],
  ['Australia/Lord_Howe', '2026-04-05', 24.5],
  ['Asia/Kolkata', '2026-03-29', 24],
  ['UTC', '2026-03-29', 24],
])('in %s, %s has %d hours', (zone, day, hours) => {
  expect((startOfDay(zone, addDays(day, 1)) - startOfDay(zone, day)) / hour).toBe(hours);
});

test('a day that a zone skipped has no length, and the next day begins at the same instant', () => {
  expect(startOfDay('Pacific/Apia', '2011-12-31')).toBe(startOfDay('Pacific/Apia', '2011-12-30'));
  expect(dayIn('Pacific/Apia', startOfDay('Pacific/Apia', '2011-12-30'))).toBe('2011-12-31');
});

test('a day begins at its first instant in every zone', () => {
  const zones = ['Europe/Berlin', 'America/St_Johns', 'Pacific/Chatham', 'Asia/Kathmandu', 'Africa/Casablanca'];
  const days = daysBetween('2025-01-01', '2027-12-31');
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.constantFrom(...days), (zone, day) => {
      const start = startOfDay(zone, day);
      expect([dayIn(zone, start - 1), dayIn(zone, start)]).toEqual([addDays(day, -1), day]);
    }),
  );
});

test('the offsets of a period give the right day for every instant in it', () => {
  const [start, end] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];
  fc.assert(
    fc.property(
      fc.constantFrom('Europe/Berlin', 'America/New_York', 'Pacific/Auckland', 'Africa/Casablanca'),
      fc.integer({ min: start, max: end - 1 }),
      (zone, moment) => {
        const { offsetMs } = offsetsIn(zone, start, end).find(({ untilMs }) => moment < untilMs) ?? { offsetMs: 0 };
        expect(new Date(moment + offsetMs).toISOString().slice(0, 10)).toBe(dayIn(zone, moment));
      },
    ),
  );
});

test('only IANA names are time zones', () => {
  expect(['Europe/Berlin', 'UTC', 'Mars/Olympus', '', "UTC'; --"].map(isTimeZone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
