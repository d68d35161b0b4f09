import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { capStates } from './caps-feature.ts';

const amount = fc.bigInt(0n, 10n ** 15n);
const amounts = fc.record({ message: fc.constant(0n), conversation: amount, day: amount, month: amount });
const caps = fc.record({
  message: fc.option(amount),
  conversation: fc.option(amount),
  day: fc.option(amount),
  month: fc.option(amount),
});

test('a cap is over when one nano-dollar more than it may be spent, and near from 80 %', () => {
  fc.assert(
    fc.property(caps, amounts, amount, (limits, spent, upper) => {
      const states = new Map(capStates(limits, spent, upper).map((state) => [state.scope, state]));
      for (const scope of ['message', 'conversation', 'day', 'month'] as const) {
        const cap = limits[scope];
        const after = spent[scope] + upper;
        const expected = cap === null || after * 100n < cap * 80n ? undefined : after > cap ? 'over' : 'near';
        expect(states.get(scope)?.state).toBe(expected);
        if (expected) expect(parseUsd(states.get(scope)?.afterUsd ?? '')).toBe(after);
      }
    }),
  );
});
