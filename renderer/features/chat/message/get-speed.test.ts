import { expect, test } from 'vitest';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { fakeMessage } from '../../../../tests/support/fake-data.ts';
import { getThreadItems } from '../state/thread-items.ts';
import { getSpeed } from './answer-footer.tsx';

const usage = { promptTokens: 8, completionTokens: 1500, cachedTokens: 0, reasoningTokens: 0 };
const timed = fakeMessage({ id: 'a', role: 'assistant', status: 'done', usage, firstTokenAt: 1000, finishedAt: 4000 });
const speeds = (...messages: Message[]) => getThreadItems(messages).map(getSpeed);

test('only a complete answer in one part has a speed', () => {
  expect(speeds(timed)).toEqual([500]);
  for (const status of ['cancelled', 'interrupted', 'error'] as const)
    expect(speeds({ ...timed, status })).toEqual([null]);
  const rest = { ...timed, id: 'b', parentId: 'a', continues: true, firstTokenAt: 9000, finishedAt: 9500 };
  expect(speeds({ ...timed, status: 'cancelled' }, rest)).toEqual([null]);
});
