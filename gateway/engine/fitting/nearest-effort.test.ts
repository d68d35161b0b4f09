import { expect, test } from 'vitest';
import { nearestEffort } from './fit-request.ts';

test.each([
  ['high', ['low', 'medium', 'high'], 'high'],
  ['xhigh', ['none', 'low', 'medium', 'high', 'max'], 'high'],
  ['max', ['none', 'low', 'medium', 'high', 'xhigh'], 'xhigh'],
  ['minimal', ['none', 'low', 'medium', 'high'], 'low'],
  ['none', ['low', 'medium', 'high'], 'low'],
  ['none', ['minimal', 'low'], 'minimal'],
  ['low', ['none'], null],
  ['high', [], null],
] as const)('the effort nearest to "%s" among %j is %j', (asked, efforts, expected) => {
  expect(nearestEffort(asked, efforts)).toBe(expected);
});
