import { expect, test } from 'vitest';
import type { Settings } from '#shared/contract/app/settings.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { testContext } from '../../../tests/support/test-context.ts';
import type { EndedNotice } from '../runtime/host/host.ts';
import { endedNotice } from './chat-feature.ts';

const chats = { kept: { title: 'Taxes', temporary: 0 }, passing: { title: 'Secret', temporary: 1 } };

async function notified(
  status: Message['status'],
  {
    conversationId = 'kept',
    wanted = 'titled' as Settings['notifications'],
    live = false,
    find = async (id: string): Promise<unknown> => chats[id as keyof typeof chats],
  } = {},
) {
  const notices: EndedNotice[] = [];
  const logged: unknown[] = [];
  const report = endedNotice({
    ...testContext({
      host: { notify: (notice: EndedNotice) => notices.push(notice) },
      log: (entry: unknown) => logged.push(entry),
    }),
    conversations: { find: find as never },
    live: { isLive: () => live },
    wanted: async () => wanted,
  });
  await report({ id: 'answer', conversationId, status });
  return { notices, logged };
}

test('a notification is shown for an answer that ended or failed, with the chat’s title only where that is allowed', async () => {
  const ended = { conversationId: 'kept', messageId: 'answer', failed: false };
  expect((await notified('done')).notices).toEqual([{ ...ended, title: 'Taxes' }]);
  expect((await notified('error', { wanted: 'plain' })).notices).toEqual([{ ...ended, failed: true, title: null }]);
  const { notices } = await notified('done', { conversationId: 'passing' });
  expect(notices).toEqual([{ ...ended, conversationId: 'passing', title: null }]);
});

test('no notification is shown for an answer that was stopped, when they are off, for a removed chat, or while another answer runs', async () => {
  for (const status of ['cancelled', 'interrupted', 'streaming'] as const)
    expect((await notified(status)).notices).toEqual([]);
  expect((await notified('done', { wanted: 'off' })).notices).toEqual([]);
  expect((await notified('done', { live: true })).notices).toEqual([]);
  expect((await notified('done', { conversationId: 'gone' })).notices).toEqual([]);
});

test('a chat that cannot be read is logged, and no notification is shown', async () => {
  const { notices, logged } = await notified('done', { find: () => Promise.reject(new Error('closed')) });
  expect(notices).toEqual([]);
  expect(logged).toMatchObject([{ event: 'notice_failed' }]);
});
