import { expect, test } from 'vitest';
import { fakeMessage } from '../../../../tests/support/fake-data.ts';
import { getHead, getSections, getThreadItems, holds, lengthBefore } from './thread-items.ts';

const part = (id: string, parentId: string | null, change = {}) =>
  fakeMessage({ id, parentId, role: 'assistant', status: 'done', costSource: 'billed', costUsd: '0.1', ...change });
const usage = { promptTokens: 3, completionTokens: 2, cachedTokens: 1, reasoningTokens: 0 };

test('a continued answer is one text, with the total cost that its last part reports', () => {
  const sum = { usage, costUsd: '1.2', costSource: 'estimated', bill: null };
  const messages = [
    fakeMessage({ id: 'q', text: 'Q' }),
    part('a', 'q', { text: 'one ', sibling: { index: 2, count: 3 }, status: 'cancelled' }),
    part('b', 'a', { text: 'two ', costUsd: '0.2', continues: true }),
    part('c', 'b', { text: 'three', costUsd: '1', continues: true, finishReason: 'stop', sum }),
  ];
  const [, answer] = getThreadItems(messages);
  expect(answer).toMatchObject({
    id: 'c',
    parentId: 'q',
    text: 'one two three',
    status: 'done',
    finishReason: 'stop',
    costUsd: '1.2',
    costSource: 'estimated',
    usage,
    sibling: { index: 2, count: 3 },
  });
  expect(answer && getHead(answer)).toBe('a');
  expect(lengthBefore(messages, 'c').text).toBe(8);
  expect(lengthBefore(messages, 'a').text).toBe(0);
});

test('the cost of an answer is unknown while its continuation is running', () => {
  const [answer] = getThreadItems([
    part('a', 'q'),
    part('b', 'a', { continues: true, status: 'streaming', costUsd: null, costSource: 'unknown' }),
  ]);
  expect(answer).toMatchObject({ costUsd: null, costSource: 'unknown', usage: null });
});

test('unchanged messages give the same item objects', () => {
  const messages = [fakeMessage({ id: 'q' }), part('a', 'q'), part('b', 'a', { continues: true })];
  const before = getThreadItems(messages);
  const after = getThreadItems([...messages, fakeMessage({ id: 'r', parentId: 'b' })]);
  expect(after[0]).toBe(before[0]);
  expect(after[1]).toBe(before[1]);
});

test('the text after tool calls is a section of its own in the same answer', () => {
  const toolCalls = [{ id: 't', name: 'calculator', arguments: '{}' }];
  const messages = [
    part('a', 'q', { text: 'Let me ', status: 'cancelled', requestId: 'r1' }),
    part('b', 'a', { text: 'see.', continues: true, finishReason: 'tool_calls', toolCalls, requestId: 'r2' }),
    part('c', 'b', { text: 'It is 4.', continues: true, finishReason: 'stop', requestId: 'r3' }),
    part('d', 'c', { text: '', continues: true, status: 'error' }),
  ];
  const [answer] = getThreadItems(messages);
  expect(answer).toMatchObject({ text: 'Let me see.\n\nIt is 4.' });
  const sections = answer ? getSections(answer) : [];
  expect(sections.map(({ id, text }) => [id, text])).toEqual([
    ['b', 'Let me see.'],
    ['d', 'It is 4.'],
  ]);
  expect(lengthBefore(messages, 'c').text).toBe(0);
  expect(lengthBefore(messages, 'd').text).toBe(8);
  expect(answer && getSections(answer)[0]).toBe(sections[0]);
});

test('a comparison is one row with the latest answer of each column, and a single remaining column is a plain answer', () => {
  const inColumn = (column: number) => ({ comparison: { id: 'c', column } });
  const messages = [fakeMessage({ id: 'q', comparing: 'c' }), part('a', 'q', inColumn(0))];
  const columns = [
    part('a', 'q', { ...inColumn(0), text: 'first' }),
    part('b', 'q', { ...inColumn(1), text: 'half ', status: 'cancelled' }),
    part('a2', 'q', { ...inColumn(0), text: 'again' }),
    part('b2', 'b', { ...inColumn(1), text: 'and half', continues: true }),
  ];
  const [, row] = getThreadItems(messages, columns);
  expect(row?.columns?.map(({ id, text }) => [id, text])).toEqual([
    ['a2', 'again'],
    ['b2', 'half and half'],
  ]);
  expect(row && getHead(row)).toBe('a');
  expect(row && ['a2', 'b', 'b2', 'x'].map((id) => holds(row, id))).toEqual([true, true, true, false]);
  expect(lengthBefore(columns, 'b2').text).toBe(5);
  expect(getThreadItems(messages, columns)[1]).toBe(row);
  const total = { id: 'c', usd: '0.2', testCreditsUsd: null, unknown: 0, cheapest: null };
  expect(getThreadItems(messages, columns, [{ ...total, id: 'other' }, total])[1]?.compared).toBe(total);
  expect(getThreadItems(messages, columns.slice(0, 1))[1]?.columns).toBeUndefined();
  expect(getThreadItems([fakeMessage({ id: 'q' }), part('a', 'q', inColumn(0))], [])[1]?.columns).toBeUndefined();
});
