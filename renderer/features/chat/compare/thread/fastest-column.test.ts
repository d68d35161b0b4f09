import { expect, test } from 'vitest';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { fakeMessage } from '../../../../../tests/support/fake-data.ts';
import { getThreadItems } from '../../state/thread-items.ts';
import { getFastest } from './comparison.tsx';

const columns = (...answers: readonly { tokens: number; status?: Message['status'] }[]) =>
  answers.flatMap(({ tokens, status = 'done' }, index) => {
    const usage = { promptTokens: 1, completionTokens: tokens, cachedTokens: 0, reasoningTokens: 0 };
    const times = { createdAt: 0, firstTokenAt: 1000, finishedAt: 2000 };
    return getThreadItems([fakeMessage({ id: `answer-${index}`, role: 'assistant', status, usage, ...times })]);
  });

test('the fastest column is marked once all answers have ended, and only complete answers count', () => {
  expect(getFastest(columns({ tokens: 10 }, { tokens: 90 }, { tokens: 30 }))).toBe(1);
  expect(getFastest(columns({ tokens: 10 }, { tokens: 90 }, { tokens: 0, status: 'streaming' }))).toBeNull();
  expect(getFastest(columns({ tokens: 900, status: 'cancelled' }, { tokens: 10 }, { tokens: 30 }))).toBe(2);
  expect(getFastest(columns({ tokens: 900, status: 'cancelled' }, { tokens: 10 }))).toBeNull();
});

test('no column is marked the fastest when the two highest speeds are equal', () => {
  expect(getFastest(columns({ tokens: 90 }, { tokens: 90 }, { tokens: 1 }))).toBeNull();
});
