import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { readThread } from '../../../tests/support/read-thread.ts';
import { readUntil, testCore } from '../../../tests/support/test-core.ts';
import { temporaryChats } from './conversations-feature.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0)) await close();
});

type TestCore = Awaited<ReturnType<typeof testCore>>;

async function ask(core: TestCore, text: string, temporary: boolean) {
  const sent = await core.client.chat.send({ messageId: `m ${text}`, text, model: 'openai/gpt', temporary });
  await expect
    .poll(async () => (await readThread(core.client, sent.conversationId)).messages.at(-1)?.costSource)
    .toBe('byok');
  return sent.conversationId;
}

/** Returns all files of a backup as one text. */
const getBytes = (core: TestCore, name: string) =>
  readFileSync(join(core.dataFolder, 'backups', name))
    .toString('latin1')
    .toLowerCase();

test('a temporary chat is in no list, search, export or backup, and is deleted when the app ends, but its cost stays', async () => {
  const core = await testCore();
  const { client } = core;
  const kept = await ask(core, 'plainly', false);
  const id = await ask(core, 'xylophonic', true);
  expect((await readThread(client, id)).conversation.temporary).toBe(true);

  expect((await client.conversations.list({})).conversations.map((conversation) => conversation.id)).toEqual([kept]);
  expect((await client.search.find({ query: 'xylophonic' })).hits).toEqual([]);
  expect((await client.search.find({ query: 'plainly' })).hits).toHaveLength(2);
  const exporting = await client.transfer.export({ ids: [id], format: 'json' });
  await expect(readUntil(exporting, () => false)).rejects.toMatchObject({ code: 'not_found' });
  expect((await client.organise.change({ ids: [id], change: { pinned: true } })).before).toEqual([]);
  await client.conversations.opened({ id });
  expect(await client.conversations.lastOpened()).toEqual({ id: null });
  const [backup] = (await client.backup.make()).backups;
  expect(getBytes(core, backup?.name ?? '')).toContain('plainly');
  expect(getBytes(core, backup?.name ?? '')).not.toContain('xylophonic');

  const month = async (of: TestCore) => (await of.client.caps.get()).spentUsd.month;
  const spent = await month(core);
  expect(spent).not.toBe('0');
  await core.core.close();
  const file = readFileSync(join(core.dataFolder, 'portico.db')).toString('latin1').toLowerCase();
  expect(file).toContain('plainly');
  expect(file).not.toContain('xylophonic');
  const again = await testCore({ dataFolder: core.dataFolder });
  closing.push(again.close);
  await expect(readThread(again.client, id)).rejects.toMatchObject({ code: 'not_found' });
  expect((await readThread(again.client, kept)).messages).toHaveLength(2);
  expect(await month(again)).toBe(spent);
});

test('the text of a deleted temporary chat is in no file soon after, while the app still runs', async () => {
  const core = await testCore();
  closing.push(core.close);
  const id = await ask(core, 'xylophonic', true);
  const files = () =>
    ['portico.db', 'portico.db-wal'].map((name) => readFileSync(join(core.dataFolder, name)).toString('latin1')).join();
  expect(files()).toContain('xylophonic');
  await core.client.conversations.remove({ id });
  await expect.poll(files).not.toContain('xylophonic');
});

test('a temporary chat that the user keeps is a chat like any other', async () => {
  const core = await testCore();
  closing.push(core.close);
  const id = await ask(core, 'after all', true);
  await core.client.conversations.keep({ id });
  const listed = (await core.client.conversations.list({})).conversations;
  expect(listed).toMatchObject([{ id, temporary: false }]);
  expect(await core.client.conversations.opened({ id: null })).toEqual({ leaving: [] });
});

test('a temporary chat is deleted a minute after it was left, unless it is reopened, shown in another window or kept', async () => {
  vi.useFakeTimers();
  const chats = new Map([
    ['left', 1],
    ['again', 1],
    ['shown', 1],
    ['kept', 1],
  ]);
  const removed: string[] = [];
  const temporary = temporaryChats({
    store: {
      temporaryIds: async () => [...chats].flatMap(([id, flag]) => (flag ? [id] : [])),
      find: async (id) => ({ temporary: chats.get(id) }) as never,
    },
    remove: async (id) => void removed.push(id),
    isWatched: (id) => id === 'shown',
    log: () => {},
  });
  expect(await temporary.opened('another')).toEqual(['left', 'again', 'shown', 'kept']);
  expect(await temporary.opened('and another')).toEqual([]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await temporary.opened('again')).toEqual([]);
  chats.set('kept', 0);
  await vi.advanceTimersByTimeAsync(31_000);
  expect(removed).toEqual(['left']);
});
