import { expect, test } from 'vitest';
import type { Spread } from './gateway/statistics.ts';
import { worseThan } from './kept-results.ts';

const ratio = (lowest: number, highest: number): Spread => ({ median: (lowest + highest) / 2, lowest, highest });

test.each<[string, Spread | undefined, boolean]>([
  ['the same', ratio(3, 4), false],
  ['higher, but within the noise', ratio(5.9, 9), false],
  ['beyond it', ratio(6.1, 9), true],
  ['lower', ratio(1, 1), false],
  ['no longer measured', undefined, true],
])('a ratio that is %s', (_name, is, isWorse) => {
  const said = worseThan({ 'CPU a request': ratio(3, 4) }, is ? { 'CPU a request': is } : {});
  expect(said).toEqual(isWorse ? [expect.stringMatching(/^CPU a request: .* was 3.00–4.00/)] : []);
});
