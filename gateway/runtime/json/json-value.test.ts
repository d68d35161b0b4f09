import { expect, test } from 'vitest';
import { answerLimits } from './json-limits.ts';
import { parseEvent, parseWithin } from './parse-json.ts';

const keys = (count: number) => `{${Array.from({ length: count }, (_, index) => `"own_${index}":0`).join()}}`;

test('a long event is parsed, and one with too many values is refused', () => {
  const long = 'x'.repeat(1_000_000);
  expect(parseEvent(JSON.stringify({ delta: { content: long } }), 'p')).toEqual({ delta: { content: long } });
  for (const text of [
    keys(50_000),
    `{"a":[${'{},'.repeat(20_000)}{}]}`,
    `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  ]) {
    expect(() => parseEvent(text, 'p')).toThrow(expect.objectContaining({ code: 'upstream_bad_response' }));
  }
});

test('a long list from an upstream is parsed, and an endless one is not', () => {
  const model = { id: 'm', pricing: { prompt: '0.1', completion: '0.2' }, context_length: 1 };
  const list = { data: Array.from({ length: 5_000 }, () => model) };
  expect(parseWithin(JSON.stringify(list), answerLimits)).toEqual(list);
  expect(parseWithin(JSON.stringify({ data: Array(200_000).fill(model) }), answerLimits)).toBeUndefined();
});
