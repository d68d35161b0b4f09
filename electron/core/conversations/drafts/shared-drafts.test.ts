import { expect, test } from 'vitest';
import { noOptions } from '#shared/contract/chat/options.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';

const options = (system: string) => ({ ...noOptions, system });
const draft = (text: string) => ({ text, attachments: [], model: null, compare: [] });

test('a draft that another window has changed meanwhile is returned, not overwritten', async () => {
  const { client } = await coreOfTest();
  const chat = 'a-chat';
  const first = await client.drafts.put({ chat, draft: draft('one'), savedAt: null });
  expect(first.other).toBeNull();
  const second = await client.drafts.put({ chat, draft: draft('one two'), savedAt: first.savedAt });
  expect(second.other).toBeNull();
  const late = await client.drafts.put({ chat, draft: draft('one three'), savedAt: first.savedAt });
  expect(late).toEqual({ savedAt: second.savedAt, other: draft('one two') });
  expect(await client.drafts.get({ chat })).toEqual({ ...draft('one two'), savedAt: second.savedAt });

  const sent = await client.drafts.put({ chat, draft: draft(''), savedAt: second.savedAt });
  expect(sent).toEqual({ savedAt: null, other: null });
  const gone = await client.drafts.put({ chat, draft: draft('one two, and on'), savedAt: second.savedAt });
  expect(gone).toEqual({ savedAt: null, other: draft('') });
});

test('the new chat of each window has its own options, for its quote and its conversation', async () => {
  const { client, gateway } = await coreOfTest();
  await client.models.list();
  await client.options.set({ chat: 'new-a', options: options('Of the first window. '.repeat(50)) });
  expect(await client.options.get({ chat: 'new-b' })).toMatchObject(noOptions);
  const asked = { text: 'Hi', model: 'openai/gpt' };
  const tokens = async (newChat: string) =>
    (await client.quotes.get({ ...asked, conversationId: null, attachments: [], newChat })).promptTokens.estimate;
  expect(await tokens('new-a')).toBeGreaterThan((await tokens('new-b')) + 200);

  const { conversationId } = await client.chat.send({ ...asked, messageId: 'm', newChat: 'new-a' });
  await expect.poll(() => gateway.asked.length).toBe(1);
  expect(gateway.asked[0]?.messages[0]).toMatchObject({
    role: 'system',
    content: expect.stringMatching(/^Of the first/),
  });
  expect((await client.options.get({ chat: conversationId })).system).toMatch(/^Of the first/);
  expect(await client.options.get({ chat: 'new-a' })).toMatchObject(noOptions);
});

test('a new window takes over the options of a closed one, also without a draft, but not of an open one', async () => {
  const { client } = await coreOfTest();
  const stream = await client.changes.watch({ newChat: 'new-open' });
  const next = stream.next();
  for (const chat of ['new-open', 'new-gone']) await client.options.set({ chat, options: options(chat) });
  await next;
  await client.drafts.put({ chat: 'new-open', draft: draft('words') });
  expect((await client.drafts.get({ chat: 'new-b' })).text).toBe('');
  expect((await client.options.get({ chat: 'new-b' })).system).toBe('new-gone');
  expect((await client.options.get({ chat: 'new-open' })).system).toBe('new-open');
  await stream.return();
});
