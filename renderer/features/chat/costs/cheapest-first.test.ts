import { expect, test } from 'vitest';
import { cheapestFirst } from '../message/retry-menu.tsx';

test('models are sorted by price, and models without a price come last in their original order', () => {
  const choices = ['dear', 'unpriced', 'cheap', 'unknown', 'middle'].map((id) => ({ id }));
  const prices = new Map([
    ['dear', { costUsd: '0.02' }],
    ['cheap', { costUsd: '0.000000001' }],
    ['middle', { costUsd: '0.003' }],
    ['unknown', { costUsd: null }],
  ]);
  const ids = (all: readonly { id: string }[]) => all.map(({ id }) => id);
  expect(ids(cheapestFirst(choices, prices))).toEqual(['cheap', 'middle', 'dear', 'unpriced', 'unknown']);
  expect(ids(cheapestFirst(choices, new Map()))).toEqual(ids(choices));
});
