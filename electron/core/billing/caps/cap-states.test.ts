import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { capStates } from './caps-feature.ts';

const amount = fc.bigInt(0n, 10n ** 15n);
const everything = { scope: 'account', id: null } as const;
const scopes = [
  ['message', { scope: 'message', period: null, id: null }],
  ['conversation', { scope: 'conversation', period: null, id: null }],
  ['day', { ...everything, period: 'day' }],
  ['month', { ...everything, period: 'month' }],
  ['model', { scope: 'model', period: 'month', id: 'lab/one' }],
] as const;

test('a limit is over when one nano-dollar more than it may be spent, and near from 80 %', () => {
  const amounts = fc.record({ limit: fc.option(amount), used: amount, held: amount });
  fc.assert(
    fc.property(fc.tuple(...scopes.map(() => amounts)), amount, amount, (given, upper, other) => {
      const limits = scopes.flatMap(([, kind], index) => {
        const { limit = null, used = 0n, held = 0n } = given[index] ?? {};
        return limit === null ? [] : { ...kind, limit, used, held };
      });
      const uppers = [
        { model: 'lab/one', upper },
        { model: 'lab/two', upper: other },
      ];
      const states = new Map(capStates(limits, uppers).map((state) => [state.scope, state]));
      scopes.forEach(([scope], index) => {
        const { limit = null, used = 0n, held = 0n } = given[index] ?? {};
        const after = used + held + upper + (scope === 'model' ? 0n : other);
        const expected = limit === null || after * 100n < limit * 80n ? undefined : after > limit ? 'over' : 'near';
        expect(states.get(scope)?.state).toBe(expected);
        if (expected) {
          expect(parseUsd(states.get(scope)?.spentUsd ?? '')).toBe(used + held);
          expect(parseUsd(states.get(scope)?.afterUsd ?? '')).toBe(after);
        }
      });
    }),
  );
});
