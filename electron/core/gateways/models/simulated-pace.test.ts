import { expect, test } from 'vitest';
import { simulatedPace } from './simulated-pace.ts';

test('simulated models pause at normal pace unless the environment sets a valid one', () => {
  const paces = [undefined, '', ' ', '0', '0.5', '2', '-1', 'fast', 'Infinity'];
  expect(paces.map((pace) => simulatedPace({ PORTICO_SIMULATED_PACE: pace }))).toEqual([1, 1, 1, 0, 0.5, 2, 1, 1, 1]);
});
