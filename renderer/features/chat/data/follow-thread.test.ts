import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import type { ChatEvent } from '#shared/contract/chat/chat.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { fakeTotal } from '../../../../tests/support/fake-composer.ts';
import { fakeData, fakeMessage } from '../../../../tests/support/fake-data.ts';
import type { Api } from '../../../api/api.ts';
import { createLiveAnswers } from './answer-views.ts';
import type { Thread } from './conversation-cache.ts';
import { threadKey, threadStream } from './follow-thread.ts';

const [conversation] = fakeData().conversations;
const conversationId = conversation?.id ?? '';
const question = fakeMessage({ id: 'q', conversationId, text: 'Q' });
const answer = (text: string, change = {}) =>
  fakeMessage({ id: 'a', conversationId, parentId: 'q', role: 'assistant', text, ...change });

const snapshot = (text: string, status: 'streaming' | 'done') => {
  const written = answer(text, { status });
  return {
    type: 'snapshot',
    seq: 1,
    readerId: 'r',
    conversation,
    scrollPosition: null,
    total: fakeTotal,
    columns: [],
    comparisons: [],
    messages: [question, written],
    answers: status === 'done' ? [] : [written],
    hasOlder: false,
    hasNewer: false,
  } as ChatEvent;
};

/**
 * Follows a thread whose watches get these streams one after the other; the last stream stays open. Returns the number
 * of watches.
 */
async function countWatches(streams: readonly (readonly ChatEvent[])[]) {
  const queries = new QueryClient();
  const leave = new AbortController();
  let watches = 0;
  async function* watch() {
    const index = watches++;
    yield* streams[index] ?? [];
    if (index >= streams.length - 1) await new Promise((resolve) => leave.signal.addEventListener('abort', resolve));
  }
  const api = { chat: { watch: async () => watch() } } as unknown as Api;
  const document = { append() {}, finish() {}, close() {} };
  const parser = { open: () => document, warm() {} };
  const answers = createLiveAnswers(parser, (flush) => flush);
  const stream = threadStream({ api, queries, answers, conversationId });
  const following = stream.follow(leave.signal);
  const shown = () => queries.getQueryData<Thread>(threadKey(conversationId))?.messages.at(-1);
  await eventually(() => expect(shown()).toMatchObject({ text: 'All of it', status: 'done' }), { interval: 10 });
  leave.abort();
  await following;
  return watches;
}

const textDelta = (offset: number, text: string): ChatEvent => ({ type: 'text-delta', messageId: 'a', offset, text });
const ended = (seq: number): ChatEvent => ({
  type: 'message-updated',
  seq,
  message: answer('All of it', { status: 'done' }),
});
const whole = [snapshot('All of it', 'done')];

test.each([
  ['events in order need only one stream', [[snapshot('All', 'streaming'), textDelta(3, ' of it'), ended(2)]], 1],
  ['missing text opens a new stream', [[snapshot('All', 'streaming'), textDelta(6, 'it')], whole], 2],
  ['a missing event opens a new stream', [[snapshot('All', 'streaming'), ended(3)], whole], 2],
  ['a stream that ends early is opened again', [[snapshot('All', 'streaming')], whole], 2],
] as const)('%s', async (_, streams, watches) => {
  expect(await countWatches(streams)).toBe(watches);
});
