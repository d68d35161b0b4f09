import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Conversation } from '#shared/contract/chat/conversations.ts';
import { groupConversations } from './list-rows.ts';

const now = new Date(2026, 10, 21, 0, 30).getTime();
const hour = 3_600_000;
const createConversation = (id: string, updatedAt: number): Conversation => ({
  id,
  title: id,
  model: 'router',
  createdAt: updatedAt,
  updatedAt,
  live: false,
  waiting: false,
  unread: false,
  folderId: null,
  tags: [],
  pinned: false,
  archived: false,
  trashedAt: null,
  temporary: false,
});

test('an hour ago is yesterday when it is half past midnight', () => {
  const groups = groupConversations(
    [
      createConversation('a', now - 60_000),
      createConversation('b', now - hour),
      createConversation('c', now - 26 * hour),
      createConversation('d', now - 40 * 24 * hour),
    ],
    now,
  );
  expect(groups.map((group) => [group.label, group.conversations.map((entry) => entry.id)])).toEqual([
    ['Today', ['a']],
    ['Yesterday', ['b']],
    ['Previous 7 days', ['c']],
    ['October 2026', ['d']],
  ]);
});

test('every conversation is in one group, newest first', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: now })), (times) => {
      const list = times.map((time, index) => createConversation(String(index), time));
      const shown = groupConversations(list, now).flatMap((group) => group.conversations);
      expect(shown.length).toBe(list.length);
      expect(shown.every((entry, index) => index === 0 || entry.updatedAt <= (shown[index - 1]?.updatedAt ?? 0))).toBe(
        true,
      );
    }),
  );
});
