import { expect, test } from 'vitest';
import { fakeMessage } from '../../../tests/support/fake-data.ts';
import { entriesOf, headOf, lengthBefore } from './entries.ts';

const part = (id: string, parentId: string | null, change = {}) =>
  fakeMessage({ id, parentId, role: 'assistant', status: 'done', costSource: 'billed', costUsd: '0.1', ...change });
const usage = { promptTokens: 3, completionTokens: 2, cachedTokens: 1, reasoningTokens: 0 };

test('an answer that goes on is one text with the sum of what its parts cost', () => {
  const messages = [
    fakeMessage({ id: 'q', text: 'Q' }),
    part('a', 'q', {
      text: 'one ',
      usage,
      costUsd: '0.000000001',
      sibling: { index: 2, count: 3 },
      status: 'cancelled',
    }),
    part('b', 'a', { text: 'two ', usage, costUsd: '0.2', costSource: 'estimated', continues: true }),
    part('c', 'b', { text: 'three', usage, costUsd: '1', continues: true, finishReason: 'stop' }),
  ];
  const [, answer] = entriesOf(messages);
  expect(answer).toMatchObject({
    ...{ id: 'c', parentId: 'q', text: 'one two three', status: 'done', finishReason: 'stop' },
    ...{ costUsd: '1.200000001', costSource: 'estimated', sibling: { index: 2, count: 3 } },
    usage: { promptTokens: 9, completionTokens: 6, cachedTokens: 3, reasoningTokens: 0 },
  });
  expect(answer && headOf(answer)).toBe('a');
  expect(lengthBefore(messages, 'c').text).toBe(8);
  expect(lengthBefore(messages, 'a').text).toBe(0);
});

test('a part whose cost is not known makes the sum unknown', () => {
  const [answer] = entriesOf([
    part('a', 'q', { costUsd: null, costSource: 'unknown' }),
    part('b', 'a', { continues: true }),
  ]);
  expect(answer).toMatchObject({ costUsd: null, costSource: 'unknown', usage: null });
});

test('the same messages are the same entries', () => {
  const messages = [fakeMessage({ id: 'q' }), part('a', 'q'), part('b', 'a', { continues: true })];
  const before = entriesOf(messages);
  const after = entriesOf([...messages, fakeMessage({ id: 'r', parentId: 'b' })]);
  expect(after[0]).toBe(before[0]);
  expect(after[1]).toBe(before[1]);
});
