import { afterEach, expect, test } from 'vitest';
import { readThread, readTotal } from '../../../tests/support/read-thread.ts';
import { testCore } from '../../../tests/support/test-core.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start() {
  const core = await testCore();
  closing.push(core.close);
  const { client } = core;
  let serial = 0;
  /** Sends a question and waits until the answer has its cost. */
  const ask = async (text: string, conversationId?: string) => {
    const sent = await client.chat.send({ messageId: `m${serial++}`, text, model: 'openai/gpt', conversationId });
    const answer = async () => (await readThread(client, sent.conversationId)).messages.at(-1);
    const isLive = async () => (await readThread(client, sent.conversationId)).conversation.live;
    await expect.poll(isLive).toBe(false);
    await expect.poll(async () => (await answer())?.costSource).toBe('byok');
    return sent;
  };
  return { ...core, ask };
}

test('a forked chat has the messages up to the fork, the settings, title, folder and tags, and is independent', async () => {
  const { client, ask, gateway } = await start();
  const first = await ask('one');
  const { conversationId } = first;
  await ask('two', conversationId);
  const folder = await client.organise.createFolder({ name: 'Work' });
  const change = { folderId: folder.id, addTags: ['blue'], pinned: true };
  await client.organise.change({ ids: [conversationId], change });
  await client.conversations.rename({ id: conversationId, title: 'Mine' });
  const options = await client.options.get({ chat: conversationId });
  await client.options.set({ chat: conversationId, options: { ...options, system: 'Be brief.' } });

  const fork = await client.conversations.fork({ messageId: first.answerId });
  expect(fork).toMatchObject({ title: 'Mine', folderId: folder.id, tags: ['blue'], pinned: false, unread: false });
  const copied = (await readThread(client, fork.id)).messages;
  const original = (await readThread(client, conversationId)).messages;
  expect(original).toHaveLength(4);
  expect(copied.map(({ text, costUsd }) => [text, costUsd])).toEqual(
    original.slice(0, 2).map(({ text, costUsd }) => [text, costUsd]),
  );
  expect((await client.options.get({ chat: fork.id })).system).toBe('Be brief.');
  await ask('another two', fork.id);
  expect(gateway.asked.at(-1)?.messages.map(({ content }) => content)).toEqual([
    'Be brief.',
    'one',
    copied[1]?.text,
    'another two',
  ]);
  expect((await readThread(client, conversationId)).messages).toHaveLength(4);
  expect((await client.search.find({ query: 'one' })).hits.map((hit) => hit.conversation.id)).toEqual(
    expect.arrayContaining([fork.id, conversationId]),
  );
});

test('the costs of a forked chat count only in the total of the first chat, and once in the month', async () => {
  const { client, ask } = await start();
  const { conversationId, answerId } = await ask('one');
  const spent = async () => (await client.caps.get()).spentUsd.month;
  const before = { total: await readTotal(client, conversationId), month: await spent() };
  expect(before.total.requests).toBe(1);
  const fork = await client.conversations.fork({ messageId: answerId });
  expect(await readTotal(client, fork.id)).toMatchObject({ usd: '0', requests: 0, unknown: 0 });
  expect({ total: await readTotal(client, conversationId), month: await spent() }).toEqual(before);
  await client.messages.remove({ messageId: answerId });
  expect((await readThread(client, fork.id)).messages).toHaveLength(2);
});

test('a fork is refused at an answer that is being written, or at a deleted message', async () => {
  const { client, gateway } = await start();
  gateway.script = async function* ({ signal }) {
    yield 'Half';
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const { answerId, userMessageId } = await client.chat.send({ messageId: 'm', text: 'one', model: 'openai/gpt' });
  await expect(client.conversations.fork({ messageId: answerId })).rejects.toMatchObject({
    code: 'answer_in_progress',
  });
  const question = await client.conversations.fork({ messageId: userMessageId });
  expect((await readThread(client, question.id)).messages.map(({ text }) => text)).toEqual(['one']);
  await client.messages.remove({ messageId: userMessageId });
  await expect(client.conversations.fork({ messageId: userMessageId })).rejects.toMatchObject({ code: 'not_found' });
});
