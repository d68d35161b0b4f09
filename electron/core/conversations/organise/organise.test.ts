import { expect, test } from 'vitest';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { readThread } from '../../../../tests/support/read-thread.ts';

const dayMs = 86_400_000;

async function start(titles: readonly string[]) {
  let time = Date.UTC(2026, 0, 1);
  const core = await coreOfTest({ now: () => time++ });
  const ids: string[] = [];
  for (const [index, text] of titles.entries()) {
    const sent = await core.client.chat.send({ messageId: `m${index}`, text, model: 'openai/gpt' });
    ids.push(sent.conversationId);
  }
  const listed = async (query: Parameters<typeof core.client.conversations.list>[0] = {}) =>
    (await core.client.conversations.list(query)).conversations.map(({ title }) => title);
  return {
    ...core,
    ids,
    listed,
    later: (ms: number) => {
      time += ms;
    },
  };
}

test('chats move into folders and out of them, and stay when their folder is deleted', async () => {
  const { client, ids, listed } = await start(['one', 'two', 'three']);
  const work = await client.organise.createFolder({ name: ' Work ' });
  expect(work).toMatchObject({ name: 'Work', conversations: 0 });
  expect((await client.organise.createFolder({ name: 'work' })).id).toBe(work.id);
  const { before } = await client.organise.change({ ids: ids.slice(0, 2), change: { folderId: work.id } });
  expect(await listed({ folderId: work.id })).toEqual(['two', 'one']);
  expect(await listed({ folderId: 'none' })).toEqual(['three']);
  expect((await client.organise.overview()).folders).toEqual([
    { id: work.id, name: 'Work', conversations: 2, isProject: false },
  ]);

  const { conversationIds } = await client.organise.removeFolder({ id: work.id });
  expect(conversationIds.sort()).toEqual(ids.slice(0, 2).sort());
  expect(await listed()).toHaveLength(3);
  await client.organise.createFolder({ name: 'Work', id: work.id });
  await client.organise.change({ ids: conversationIds, change: { folderId: work.id } });
  expect(await listed({ folderId: work.id })).toEqual(['two', 'one']);
  await client.organise.putBack({ placements: before });
  expect(await listed({ folderId: 'none' })).toHaveLength(3);
});

test('two folders cannot have the same name, and a chat cannot move into a missing folder', async () => {
  const { client, ids } = await start(['one']);
  await client.organise.createFolder({ name: 'Work' });
  const home = await client.organise.createFolder({ name: 'Home' });
  await expect(client.organise.renameFolder({ id: home.id, name: 'WORK' })).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('already'),
  });
  expect(await client.organise.renameFolder({ id: home.id, name: 'HOME' })).toMatchObject({ name: 'HOME' });
  await expect(client.organise.change({ ids, change: { folderId: 'nowhere' } })).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('a change of many chats is undone in one step: pins, tags, archive and trash return as they were', async () => {
  const { client, ids, listed } = await start(['one', 'two', 'three']);
  await client.organise.change({ ids: [ids[0] ?? ''], change: { pinned: true, addTags: ['Blue'] } });
  const all = () =>
    Promise.all(
      ids.map(async (id) => {
        const { live: _, ...conversation } = (await readThread(client, id)).conversation;
        return conversation;
      }),
    );
  const asItWas = await all();
  const { before } = await client.organise.change({
    ids: [...ids, 'gone'],
    change: { pinned: false, trashed: true, addTags: ['red', 'BLUE'], removeTags: ['green'] },
  });
  expect(before).toHaveLength(3);
  expect(await listed()).toEqual([]);
  expect(await listed({ view: 'trash' })).toHaveLength(3);
  expect((await all()).map(({ tags }) => tags.map((tag) => tag.toLowerCase()))).toEqual([
    ['blue', 'red'],
    ['blue', 'red'],
    ['blue', 'red'],
  ]);
  await client.organise.putBack({ placements: before });
  expect(await all()).toEqual(asItWas);
});

test('archive and trash are separate views, and a new message brings a chat back from both', async () => {
  const { client, ids, listed, gateway } = await start(['one', 'two']);
  gateway.script = async function* () {
    yield 'ok';
  };
  const [one = '', two = ''] = ids;
  await client.organise.change({ ids: [one], change: { archived: true } });
  await client.organise.change({ ids: [two], change: { trashed: true } });
  expect([await listed(), await listed({ view: 'archived' }), await listed({ view: 'trash' })]).toEqual([
    [],
    ['one'],
    ['two'],
  ]);
  for (const [index, id] of ids.entries()) {
    await expect.poll(async () => (await readThread(client, id)).conversation.live).toBe(false);
    await client.chat.send({ messageId: `again-${index}`, conversationId: id, text: 'more', model: 'openai/gpt' });
  }
  expect((await listed()).sort()).toEqual(['one', 'two']);
});

test('a chat is deleted after thirty days in the trash, and emptying the trash deletes only the chats in it', async () => {
  const { client, ids, later, core, dataFolder } = await start(['one', 'two', 'three']);
  const [one = '', two = '', three = ''] = ids;
  await client.organise.change({ ids: [one], change: { trashed: true } });
  later(29 * dayMs);
  await client.organise.change({ ids: [two], change: { trashed: true } });
  later(2 * dayMs);
  await core.close();
  const again = await coreOfTest({ dataFolder, now: () => Date.UTC(2026, 0, 1) + 31.5 * dayMs });
  await expect.poll(async () => (await again.client.organise.overview()).trashed).toBe(1);
  await expect(readThread(again.client, one)).rejects.toMatchObject({ code: 'not_found' });
  expect(await again.client.organise.emptyTrash({ ids: [two, three] })).toEqual({ removed: 1 });
  await expect(readThread(again.client, two)).rejects.toMatchObject({ code: 'not_found' });
  expect((await again.client.conversations.list({})).conversations.map(({ title }) => title)).toEqual(['three']);
});
