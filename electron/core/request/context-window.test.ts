import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outsideCount, reserveFor } from './request.ts';

const sizes = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 60 });
const turns = (length: number) => Array.from({ length }, (_, at) => at % 2 === 0);
const getWindow = (
  list: readonly number[],
  limit: number | null,
  more: { fixed?: number; maxMessages?: number } = {},
) =>
  outsideCount({
    sizes: list,
    beginnings: turns(list.length),
    fixed: 0,
    reserve: 0,
    maxMessages: 2048,
    ...more,
    limit,
  });

test('the messages that are sent fit the context, begin with a question and include the last one', () => {
  fc.assert(
    fc.property(sizes, fc.nat(40_000), fc.nat(500), (list, limit, fixed) => {
      const outside = getWindow(list, limit, { fixed });
      const kept = list.slice(outside);
      expect(kept.length).toBeGreaterThan(0);
      if (kept.length > 1) {
        expect(fixed + kept.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(limit);
        expect(outside % 2).toBe(0);
      }
    }),
  );
});

test('a larger context never leaves out more messages, and an unknown one leaves out none', () => {
  fc.assert(
    fc.property(sizes, fc.nat(40_000), fc.nat(40_000), (list, limit, more) => {
      expect(getWindow(list, limit + more)).toBeLessThanOrEqual(getWindow(list, limit));
      expect(getWindow(list, null)).toBe(0);
    }),
  );
});

test('no message is left out that would have fitted, except an answer whose question does not fit', () => {
  fc.assert(
    fc.property(sizes, fc.nat(40_000), (list, limit) => {
      const outside = getWindow(list, limit);
      const whole = list.slice(Math.max(0, outside - 2)).reduce((sum, size) => sum + size, 0);
      if (outside > 1 && outside < list.length - 1) expect(whole).toBeGreaterThan(limit);
    }),
  );
});

test('a request has no more messages than the wire format allows', () => {
  expect(getWindow([1, 1, 1, 1, 1, 1, 1], null, { maxMessages: 4 })).toBe(4);
});

test('tokens are reserved for the answer, at most half of a small context', () => {
  expect([reserveFor(null, null, 128_000), reserveFor(20_000, null, 128_000)]).toEqual([4096, 20_000]);
  expect([reserveFor(null, 1000, 128_000), reserveFor(20_000, null, 8000), reserveFor(10, null, null)]).toEqual([
    1000, 4000, 10,
  ]);
});
