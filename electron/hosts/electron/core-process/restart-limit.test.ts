import { expect, test } from 'vitest';
import { restartLimit } from './restart-limit.ts';

/** Returns the delays after crashes at these seconds. */
const pauses = (seconds: readonly number[]) => {
  const [clock] = [seconds.values()];
  const next = restartLimit(() => (clock.next().value ?? 0) * 1000);
  return seconds.map(() => next());
};

test.each([
  ['at once', [7], [0]],
  ['later each time and finally not at all', [0, 1, 2, 3, 4, 5], [0, 250, 500, 1000, 2000, null]],
  ['at once again after a quiet minute', [0, 1, 61, 62], [0, 250, 0, 250]],
  ['without a limit if it crashes rarely', [0, 30, 60, 90, 120, 150], [0, 250, 250, 250, 250, 250]],
])('a crashed process is started again %s', (_, seconds, expected) => {
  expect(pauses(seconds)).toEqual(expected);
});
