import { expect, test } from 'vitest';
import { type Ratio, worseThan } from './kept-results.ts';

const ratio = (lowest: number, highest: number, better: Ratio['better'] = 'lower'): Ratio => ({
  median: (lowest + highest) / 2,
  lowest,
  highest,
  better,
});

test.each<[string, Ratio, Ratio | undefined, boolean]>([
  ['the same', ratio(3, 4), ratio(3, 4), false],
  ['ranges that touch within the noise', ratio(3, 4), ratio(5.9, 9), false],
  ['beyond it', ratio(3, 4), ratio(6.1, 9), true],
  ['better', ratio(3, 4), ratio(1, 1), false],
  ['less of what should be more, within the noise', ratio(0.3, 0.4, 'higher'), ratio(0.1, 0.21, 'higher'), false],
  ['less of what should be more, beyond it', ratio(0.3, 0.4, 'higher'), ratio(0.1, 0.19, 'higher'), true],
  ['more of what should be more', ratio(0.3, 0.4, 'higher'), ratio(0.9, 0.9, 'higher'), false],
  ['no longer measured', ratio(3, 4), undefined, true],
])('a ratio that is %s', (_name, was, is, isWorse) => {
  const said = worseThan({ 'CPU a request': was }, is ? { 'CPU a request': is } : {});
  expect(said).toEqual(isWorse ? [expect.stringMatching(/^CPU a request: .* was /)] : []);
});
