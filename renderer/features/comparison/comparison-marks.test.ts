import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { fakeMessage } from '../../../tests/support/fake-data.ts';
import { marksOf, sumOf } from './comparison-marks.ts';

const column = (costUsd: string | null, tokens: number, change = {}) =>
  fakeMessage({
    role: 'assistant',
    status: 'done',
    costUsd,
    costSource: costUsd === null ? 'unknown' : 'billed',
    simulated: false,
    createdAt: 0,
    firstTokenAt: 1000,
    finishedAt: 2000,
    usage: { promptTokens: 1, completionTokens: tokens, cachedTokens: 0, reasoningTokens: 0 },
    ...change,
  });

test('the cheapest and the fastest are marked once all have ended, and only whole answers are in the running', () => {
  const ended = [column('0.3', 10), column('0.02', 30), column('0.1', 90)];
  expect(marksOf(ended)).toEqual({ cheapest: 1, fastest: 2 });
  expect(marksOf([...ended, column(null, 0, { status: 'streaming' })])).toEqual({ cheapest: null, fastest: null });
  expect(marksOf([column('0.000000001', 900, { status: 'cancelled' }), ...ended])).toEqual({ cheapest: 2, fastest: 3 });
  expect(marksOf([column('0.3', 10), column('0.1', 10, { status: 'error' })])).toEqual({
    cheapest: null,
    fastest: null,
  });
});

test('nothing is the cheapest beside a cost that nobody knows, beside test credits, or where two cost the same', () => {
  expect(marksOf([column('0.3', 10), column(null, 30)]).cheapest).toBeNull();
  expect(marksOf([column('0.3', 10), column('0.1', 30, { simulated: true })]).cheapest).toBeNull();
  expect(marksOf([column('0.1', 10), column('0.10', 30), column('0.2', 1)]).cheapest).toBeNull();
});

test('the sum of the columns is exact, keeps money and test credits apart, and says how many costs are unknown', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 15n });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.option(amount), fc.boolean()), { minLength: 1, maxLength: 4 }), (costs) => {
      const columns = costs.map(([cost, simulated]) =>
        column(cost === null ? null : formatUsd(nanoUsd(cost)), 1, { simulated }),
      );
      const sum = sumOf(columns);
      for (const [shown, simulated] of [
        [sum.usd, false],
        [sum.testCreditsUsd, true],
      ] as const) {
        const known = costs.flatMap(([cost, test]) => (cost !== null && test === simulated ? [cost] : []));
        expect(shown === null ? null : parseUsd(shown)).toBe(
          known.length === 0 ? null : known.reduce((total, cost) => total + cost, 0n),
        );
      }
      expect(sum.unknown).toBe(costs.filter(([cost]) => cost === null).length);
    }),
  );
});
