import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createShares } from './fair-queue.ts';

const capacity = 100;

test('one account may take the full capacity; a second then gets its share from the reserve, and the first is refused', () => {
  const shares = createShares(capacity);
  expect([shares.take('a', 100), shares.take('a', 1), shares.take('b', 25), shares.take('c', 1)]).toEqual([
    ...[true, false, true, false],
  ]);
  shares.give('a', 20);
  expect([shares.take('a', 1), shares.take('b', 15), shares.take('b', 20)]).toEqual([false, true, false]);
});

test('an account is never refused while capacity is free, and the sum stays exact', () => {
  const action = fc.record({ account: fc.constantFrom('a', 'b', 'c'), units: fc.integer({ min: -30, max: 30 }) });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const shares = createShares(capacity);
      const held: Record<string, number> = { a: 0, b: 0, c: 0 };
      const total = () => Object.values(held).reduce((sum, units) => sum + units, 0);
      for (const { account, units } of actions) {
        const own = held[account] ?? 0;
        const before = total();
        const change = units < 0 ? -Math.min(own, -units) : units;
        if (change < 0) shares.give(account, -change);
        else if (change === 0 || !shares.take(account, change)) {
          if (change > 0) expect(before + change).toBeGreaterThan(capacity);
          continue;
        }
        held[account] = own + change;
        expect(shares.used).toBe(total());
        expect(shares.used).toBeLessThanOrEqual(capacity * 1.25);
      }
    }),
  );
});
