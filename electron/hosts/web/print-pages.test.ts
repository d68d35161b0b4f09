import { expect, test } from 'vitest';
import { printPages } from './print-pages.ts';

test('a page to print can be fetched once within a minute, and at most three wait', () => {
  let now = 0;
  const pages = printPages(() => now);
  const first = pages.serve('first');
  expect(pages.take(first)).toBe('first');
  expect(pages.take(first)).toBeNull();

  const late = pages.serve('late');
  now = 59_999;
  const fresh = pages.serve('fresh');
  now = 60_000;
  expect(pages.take(late)).toBeNull();
  expect(pages.take(fresh)).toBe('fresh');

  const [given, ...kept] = ['a', 'b', 'c', 'd'].map(pages.serve);
  expect(pages.take(given ?? '')).toBeNull();
  expect(kept.map(pages.take)).toEqual(['b', 'c', 'd']);
});
