import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { chatEnded } from '../../../tests/support/chat-ended.ts';
import { coreOfTest, type TestCore } from '../../../tests/support/core-of-test.ts';
import { readThread } from '../../../tests/support/read-thread.ts';
import { uploaded } from '../../../tests/support/upload-import.ts';

type Said = readonly [id: string, parent: string | null, role: 'user' | 'assistant', text: string];

/** Creates a chat in ChatGPT's export format. Each message is a second later than the one before. */
const chatgpt = (id: string, messages: readonly Said[]) => ({
  id,
  title: `Chat ${id}`,
  create_time: 1_700_000_000,
  update_time: 1_700_000_000 + messages.length,
  current_node: messages.at(-1)?.[0],
  mapping: Object.fromEntries(
    messages.map(([node, parent, role, text], index) => [
      node,
      {
        id: node,
        parent,
        message: {
          author: { role },
          create_time: 1_700_000_000 + index,
          content: { content_type: 'text', parts: [text] },
        },
      },
    ]),
  ),
});

const begun: readonly Said[] = [
  ['a', null, 'user', 'Which tea?'],
  ['b', 'a', 'assistant', 'Green.'],
];
const grown: readonly Said[] = [
  ...begun,
  ['c', 'b', 'user', 'How long?'],
  ['d', 'c', 'assistant', 'Two minutes.'],
  // This answer was generated later, as another answer to the first question.
  ['e', 'a', 'assistant', 'Black.'],
];

async function imported({ client }: TestCore, file: object | string) {
  const uploadId = await uploaded({ client } as TestCore, typeof file === 'string' ? file : JSON.stringify(file));
  const { conversations } = await client.transfer.previewImport({ uploadId });
  const done = await client.transfer.commitImport({ uploadId, sourceIds: null });
  return { done, foreseen: conversations.map(({ alreadyHere, newMessages }) => [alreadyHere, newMessages]) };
}

const chatCalled = async ({ client }: TestCore, title: string) =>
  (await client.conversations.list({ limit: 50 })).conversations.find((chat) => chat.title === title);

async function getWords(core: TestCore, id: string): Promise<string[]> {
  let file = '';
  for await (const { text } of await core.client.transfer.export({ ids: [id], format: 'json' })) file += text;
  const [chat] = (JSON.parse(file) as { contents: { messages: { text: string }[] }[] }).contents;
  return (chat?.messages ?? []).map(({ text }) => text).sort();
}

test('an imported chat that has grown gets its new messages once and shows them', async () => {
  const core = await coreOfTest();
  expect(await imported(core, [chatgpt('1', begun), chatgpt('2', begun)])).toMatchObject({
    foreseen: [
      [false, 2],
      [false, 2],
    ],
  });
  const file = [chatgpt('1', grown), chatgpt('2', begun), chatgpt('3', begun)];
  expect(await imported(core, file)).toEqual({
    foreseen: [
      [true, 3],
      [true, 0],
      [false, 2],
    ],
    done: { imported: 1, grown: 1, newMessages: 3, alreadyHere: 1, leftOut: [] },
  });
  const id = (await chatCalled(core, 'Chat 1'))?.id ?? '';
  expect(await getWords(core, id)).toEqual(['Black.', 'Green.', 'How long?', 'Two minutes.', 'Which tea?']);
  const { messages } = await readThread(core.client, id);
  expect(messages.map(({ text }) => text)).toEqual(['Which tea?', 'Black.']);
  expect(messages.at(-1)?.sibling).toEqual({ index: 2, count: 2 });
  expect((await chatCalled(core, 'Chat 1'))?.updatedAt).toBe(1_700_000_005_000);
  expect(await imported(core, file)).toMatchObject({ done: { imported: 0, grown: 0, newMessages: 0, alreadyHere: 3 } });
});

test('messages written here after an import stay and stay shown, and open windows are updated', async () => {
  const core = await coreOfTest();
  const { client } = core;
  await imported(core, [chatgpt('1', begun)]);
  const id = (await chatCalled(core, 'Chat 1'))?.id ?? '';
  await client.models.list();
  await client.chat.send({ messageId: randomUUID(), conversationId: id, text: 'And mine?', model: 'openai/gpt' });
  const before = (await chatEnded(client, id)).map(({ text }) => text);
  expect(before.slice(0, 3)).toEqual(['Which tea?', 'Green.', 'And mine?']);
  const watch = await client.chat.watch({ conversationId: id });
  const first = await watch.next();
  expect(first.value).toMatchObject({ type: 'snapshot' });
  expect(await imported(core, [chatgpt('1', grown)])).toMatchObject({ done: { grown: 1, newMessages: 3 } });
  expect((await watch.next()).value).toMatchObject({ type: 'snapshot' });
  await watch.return?.();
  const { messages } = await readThread(client, id);
  expect(messages.map(({ text }) => text)).toEqual(before);
  expect(messages[2]?.sibling).toEqual({ index: 1, count: 2 });
});

test('a chat whose messages have no timestamps grows too', async () => {
  const core = await coreOfTest();
  const timeless = (messages: readonly Said[]) => {
    const chat = chatgpt('1', messages);
    for (const { message } of Object.values(chat.mapping)) Object.assign(message, { create_time: null });
    return chat;
  };
  await imported(core, [timeless(begun)]);
  expect(await imported(core, [timeless(grown)])).toMatchObject({ foreseen: [[true, 3]], done: { newMessages: 3 } });
  expect(await imported(core, [timeless(grown)])).toMatchObject({ foreseen: [[true, 0]], done: { alreadyHere: 1 } });
});

test('messages and chats that were removed here are not imported again, but newer replies are', async () => {
  const core = await coreOfTest();
  const { client } = core;
  await imported(core, [chatgpt('1', begun), chatgpt('2', begun)]);
  const id = (await chatCalled(core, 'Chat 1'))?.id ?? '';
  const { messages } = await readThread(client, id);
  await client.messages.remove({ messageId: messages[1]?.id ?? '' });
  await client.organise.change({ ids: [(await chatCalled(core, 'Chat 2'))?.id ?? ''], change: { trashed: true } });
  expect(await imported(core, [chatgpt('1', begun), chatgpt('2', grown)])).toMatchObject({
    done: { imported: 0, grown: 0, alreadyHere: 2 },
  });
  expect(await imported(core, [chatgpt('1', grown)])).toMatchObject({ done: { newMessages: 3 } });
  expect(await getWords(core, id)).toEqual(['Black.', 'How long?', 'Two minutes.', 'Which tea?']);
});

test('a Portico file adds what was written on another computer to the same chat', async () => {
  const [here, there] = [await coreOfTest(), await coreOfTest()];
  await here.client.models.list();
  await there.client.models.list();
  const exported = async ({ client }: TestCore, id: string) => {
    let file = '';
    for await (const { text } of await client.transfer.export({ ids: [id], format: 'json' })) file += text;
    return file;
  };
  const send = async ({ client }: TestCore, text: string, conversationId?: string) => {
    const sent = { messageId: randomUUID(), text, model: 'openai/gpt' };
    const started = await client.chat.send(conversationId ? { ...sent, conversationId } : sent);
    await chatEnded(client, started.conversationId);
    return started.conversationId;
  };
  const id = await send(here, 'Begun here');
  await imported(there, await exported(here, id));
  await send(there, 'Gone on there', id);
  await send(here, 'Gone on here', id);
  expect(await imported(here, await exported(there, id))).toMatchObject({
    done: { imported: 0, grown: 1, newMessages: 2 },
  });
  const words = await getWords(here, id);
  expect(words).toHaveLength(6);
  expect(words).toEqual(expect.arrayContaining(['Begun here', 'Gone on here', 'Gone on there']));
});
