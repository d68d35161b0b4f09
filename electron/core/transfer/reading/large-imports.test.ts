import { expect, test } from 'vitest';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { uploaded } from '../../../../tests/support/upload-import.ts';

/** A chat as ChatGPT exports it: one message below the other. */
function chat(id: string, messages: number) {
  const mapping: Record<string, object> = {};
  for (let index = 0; index < messages; index++) {
    mapping[`n${index}`] = {
      id: `n${index}`,
      parent: index === 0 ? null : `n${index - 1}`,
      children: index === messages - 1 ? [] : [`n${index + 1}`],
      message: {
        id: `${id}-${index}`,
        author: { role: index % 2 === 0 ? 'user' : 'assistant' },
        create_time: 1_700_000_000 + index,
        content: { content_type: 'text', parts: [`Message ${index} of many, about lakes and rivers.`] },
        metadata: {},
      },
    };
  }
  return {
    id,
    title: id,
    create_time: 1_700_000_000,
    update_time: 1_700_000_000,
    current_node: `n${messages - 1}`,
    mapping,
  };
}

async function imported(chats: readonly object[]) {
  const core = await coreOfTest();
  const uploadId = await uploaded(core, JSON.stringify(chats), 700_000);
  const before = process.memoryUsage.rss();
  let [turns, most] = [0, before];
  const look = setInterval(() => {
    turns += 1;
    most = Math.max(most, process.memoryUsage.rss());
  }, 1);
  const result = await core.client.transfer.commitImport({ uploadId, sourceIds: null });
  clearInterval(look);
  return { ...core, result, turns, grownMb: (most - before) / 2 ** 20 };
}

test('a chat of 50,000 messages comes in whole, others have their turn meanwhile, and no gigabytes are taken', async () => {
  const { client, result, turns, grownMb } = await imported([chat('Long', 50_000)]);
  expect(result).toMatchObject({ imported: 1 });
  // One turn for 200 messages.
  expect(turns).toBeGreaterThan(100);
  expect(grownMb).toBeLessThan(700);
  const [{ id } = { id: '' }] = (await client.conversations.list({})).conversations;
  const { hits } = await client.search.find({ query: '49999' });
  expect(hits).toMatchObject([{ conversation: { id } }]);
  // SQLite follows a chain of parents for 1,000 messages only.
  await client.conversations.remove({ id });
  expect((await client.search.find({ query: '49999' })).hits).toEqual([]);
});

test('thousands of chats, as people have, come in', async () => {
  const { result } = await imported(Array.from({ length: 3_000 }, (_, index) => chat(`Chat ${index}`, 4)));
  expect(result).toMatchObject({ imported: 3_000 });
});

test('more chats than anybody has are refused before anything is imported', async () => {
  const core = await coreOfTest();
  const uploadId = await uploaded(core, `[${'{"mapping":{}},'.repeat(200_001)}{"mapping":{}}]`, 700_000);
  const refused = { code: 'import_refused', message: expect.stringContaining('more than 200,000 chats') };
  await expect(core.client.transfer.previewImport({ uploadId })).rejects.toMatchObject(refused);
  expect((await core.client.conversations.list({})).conversations).toEqual([]);
});
