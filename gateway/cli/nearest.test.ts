import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

test.each([
  ['--naem', '--name'],
  ['--nam', '--name'],
  ['--jsn', '--json'],
  ['--databaes', null],
  ['--x', null],
  ['', null],
])('"%s" was meant to be %j', (typed, meant) => {
  expect(nearest(typed, ['--name', '--json', '--db', '--plan'])).toBe(meant);
});
