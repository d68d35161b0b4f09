import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { correct, emptyWindow, expire, take, untilEmpty, waitFor, windowMs } from './memory-store.ts';

const steps = fc.array(fc.record({ pause: fc.integer({ min: 0, max: 9_000 }), cost: fc.integer({ min: 1, max: 8 }) }), {
  minLength: 1,
  maxLength: 300,
});
const limits = fc.integer({ min: 8, max: 60 });

/** The largest sum of costs within any 60 seconds. It is enough to check the 60 seconds that begin with an admission. */
function busiest(admitted: readonly { at: number; cost: number }[]): number {
  const sums = admitted.map((first) =>
    admitted.filter(({ at }) => at >= first.at && at < first.at + windowMs).reduce((sum, { cost }) => sum + cost, 0),
  );
  return Math.max(0, ...sums);
}

describe('a sliding window', () => {
  test('never admits more than its limit in any 60 seconds, and always admits after the announced wait', () => {
    fc.assert(
      fc.property(steps, limits, (sequence, limit) => {
        const window = emptyWindow();
        const admitted: { at: number; cost: number }[] = [];
        let now = 1_000_000;
        for (const { pause, cost } of sequence) {
          now += pause;
          expire(window, now);
          if (!take(window, limit, cost, now)) {
            const wait = waitFor(window, limit, cost, now);
            expect(wait).toBeGreaterThan(0);
            expect(wait).toBeLessThanOrEqual(windowMs);
            expire(window, now + wait - 1);
            expect(take(window, limit, cost, now + wait - 1)).toBeNull();
            now += wait;
            expire(window, now);
            expect(take(window, limit, cost, now)).not.toBeNull();
          }
          admitted.push({ at: now, cost });
        }
        expect(busiest(admitted)).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 300 },
    );
  });

  test('admits its complete limit at once, and nearly the limit a minute under constant requests', () => {
    const window = emptyWindow();
    const limit = 300;
    let admitted = 0;
    for (let now = 0; now < 10 * windowMs; now += 10) {
      expire(window, now);
      while (take(window, limit, 1, now)) admitted += 1;
      if (now === 0) expect(admitted).toBe(limit);
    }
    expect(admitted).toBeGreaterThanOrEqual(0.98 * 10 * limit);
    expect(admitted).toBeLessThanOrEqual(10 * limit);
  });

  test('keeps few entries, whatever the limit', () => {
    const window = emptyWindow();
    for (let now = 0; now < windowMs; now += 1) {
      expire(window, now);
      take(window, 1_000_000, 1, now);
    }
    expect(window.entries.length).toBeLessThanOrEqual(121);
  });

  test('a corrected reservation counts with its real cost, and never below zero', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(100), fc.integer({ min: -200, max: 200 }), fc.nat(2_000)), { maxLength: 60 }),
        (uses) => {
          const window = emptyWindow();
          let now = 0;
          for (const [reserved, difference, pause] of uses) {
            now += pause;
            expire(window, now);
            const taken = take(window, 10_000, reserved, now);
            if (taken) correct(window, taken, difference);
            expect(window.used).toBe(window.entries.reduce((sum, { cost }) => sum + cost, 0));
            expect(window.entries.every(({ cost }) => cost >= 0)).toBe(true);
          }
          expire(window, now + windowMs);
          expect([window.used, window.entries.length]).toEqual([0, 0]);
        },
      ),
    );
  });

  test('a correction of an expired cost changes nothing', () => {
    const window = emptyWindow();
    const taken = take(window, 10, 5, 0);
    expire(window, windowMs);
    if (taken) correct(window, taken, 3);
    expect(window.used).toBe(0);
  });

  test('makes no caller wait longer than a minute when the clock is set back an hour', () => {
    const window = emptyWindow();
    const late = 10 * 3_600_000;
    take(window, 1, 1, late);
    const early = late - 3_600_000;
    expire(window, early);
    expect(waitFor(window, 1, 1, early)).toBe(windowMs);
    expect(untilEmpty(window, early)).toBe(windowMs);
    expire(window, early + windowMs);
    expect(take(window, 1, 1, early + windowMs)).not.toBeNull();
  });
});
