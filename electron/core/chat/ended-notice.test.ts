import { expect, test } from 'vitest';
import type { Settings } from '#shared/contract/app/settings.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { EndedNotice } from '../runtime/host/host.ts';
import { endedNotice } from './chat-feature.ts';

const chats = { kept: { title: 'Taxes', temporary: 0 }, passing: { title: 'Secret', temporary: 1 } };

async function told(
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
  const tell = endedNotice({
    host: { notify: (notice) => notices.push(notice) },
    conversations: { find: find as never },
    live: { isLive: () => live },
    log: (entry) => logged.push(entry),
    wanted: async () => wanted,
  });
  await tell({ id: 'answer', conversationId, status });
  return { notices, logged };
}

test('an answer that ended or failed is told, with the title of its chat only where that is allowed', async () => {
  const ended = { conversationId: 'kept', messageId: 'answer', failed: false };
  expect((await told('done')).notices).toEqual([{ ...ended, title: 'Taxes' }]);
  expect((await told('error', { wanted: 'plain' })).notices).toEqual([{ ...ended, failed: true, title: null }]);
  const { notices } = await told('done', { conversationId: 'passing' });
  expect(notices).toEqual([{ ...ended, conversationId: 'passing', title: null }]);
});

test('nothing is told of what the person stopped, did not want, or removed, nor while the chat is still answered', async () => {
  for (const status of ['cancelled', 'interrupted', 'streaming'] as const)
    expect((await told(status)).notices).toEqual([]);
  expect((await told('done', { wanted: 'off' })).notices).toEqual([]);
  expect((await told('done', { live: true })).notices).toEqual([]);
  expect((await told('done', { conversationId: 'gone' })).notices).toEqual([]);
});

test('a chat that cannot be read is logged, and fails nothing', async () => {
  const { notices, logged } = await told('done', { find: () => Promise.reject(new Error('closed')) });
  expect(notices).toEqual([]);
  expect(logged).toMatchObject([{ event: 'notice_failed' }]);
});
