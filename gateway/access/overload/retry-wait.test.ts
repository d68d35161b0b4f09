import { expect, test } from 'vitest';
import { createRetryWait } from './overload.ts';

test('the more requests are refused, the longer the time over which they are spread, until refusals end', () => {
  let time = 0;
  let place = 1;
  const wait = createRetryWait(
    () => time,
    () => place,
  );
  expect([wait(10), wait(10), wait(10)]).toEqual([2_010, 2_020, 2_030]);
  for (let index = 0; index < 10_000; index += 1) wait(10);
  expect(wait(10)).toBe(30_000);
  place = 0;
  expect(wait(10)).toBe(1_000);
  time = 60_000;
  place = 1;
  expect(wait(10)).toBe(2_010);
});
