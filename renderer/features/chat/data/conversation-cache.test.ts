import { expect, test } from 'vitest';
import { fakeData, fakeMessage } from '../../../../tests/support/fake-data.ts';
import { type Thread, withAdded, withUpdated } from './conversation-cache.ts';

const [conversation] = fakeData().conversations;
const conversationId = conversation?.id ?? '';
const message = (id: string, change = {}) => fakeMessage({ id, conversationId, ...change });
const column = (id: string, index: number, change = {}) =>
  message(id, {
    role: 'assistant',
    status: 'streaming',
    parentId: 'q',
    comparison: { id: 'c', column: index },
    ...change,
  });
const empty = {
  conversation,
  messages: [message('before')],
  columns: [],
  comparisons: [],
  hasOlder: false,
  hasNewer: false,
  scrollPosition: null,
  runningIds: [],
} as unknown as Thread;
const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);

test('columns of a comparison are added beside each other, and only the first is part of the branch', () => {
  const question = message('q', { parentId: 'before', comparing: 'c' });
  const events = [question, column('a', 0), question, column('b', 1), question, column('c', 2)];
  const thread = events.reduce(withAdded, empty);
  expect(ids(thread.messages)).toEqual(['before', 'q', 'a']);
  expect(ids(thread.columns)).toEqual(['a', 'b', 'c']);
  expect(thread.runningIds).toEqual(['a', 'b', 'c']);
  const later = withUpdated(
    withUpdated(thread, column('b', 1, { status: 'done' })),
    column('a', 0, { status: 'error' }),
  );
  expect(later.columns.map(({ status }) => status)).toEqual(['error', 'done', 'streaming']);
  expect(later.messages.at(-1)?.status).toBe('error');
  expect(later.runningIds).toEqual(['c']);
  const retried = withAdded(later, column('a2', 0));
  expect(ids(retried.messages)).toEqual(['before', 'q', 'a']);
  expect(ids(retried.columns)).toEqual(['a', 'b', 'c', 'a2']);
});
