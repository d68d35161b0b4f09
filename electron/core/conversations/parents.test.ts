import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { coreOfTest } from '../../../tests/support/core-of-test.ts';
import { readThread } from '../../../tests/support/read-thread.ts';

/**
 * No version writes a message that is its own parent. If a damaged database has one, it still opens, and every walk
 * through the tree ends.
 */
const parents: readonly (readonly [string, string])[] = [
  ['a message is its own parent', 'update messages set parent_id = id'],
  [
    'every message is its own parent, continuation and shown child',
    'update messages set parent_id = id, continues = 1, shown_child = id',
  ],
  [
    'parents form a cycle',
    `update messages set parent_id = (select id from messages other where other.seq =
      (select coalesce(min(seq), (select min(seq) from messages)) from messages next where next.seq > messages.seq))`,
  ],
  [
    'the parent is in another chat',
    `update messages set parent_id = (select id from messages other where other.conversation_id <> messages.conversation_id limit 1)`,
  ],
  [
    'the shown child is the first message of all',
    'update messages set shown_child = (select id from messages order by seq limit 1)',
  ],
];

test.each(parents)('a chat can be opened, continued, copied and searched when %s', async (_what, statement) => {
  const before = await coreOfTest();
  before.gateway.script = async function* () {
    yield 'An answer.';
  };
  const ask = async ({ client }: Pick<typeof before, 'client'>, messageId: string, conversationId?: string) => {
    const sent = await client.chat.send({
      messageId,
      text: 'words',
      model: 'openai/gpt',
      ...(conversationId === undefined ? {} : { conversationId }),
    });
    await expect
      .poll(async () => (await readThread(client, sent.conversationId)).conversation.live, { interval: 5 })
      .toBe(false);
    return sent.conversationId;
  };
  const id = await ask(before, 'm1');
  await ask(before, 'm2', id);
  await ask(before, 'm3');
  await before.core.close();
  new Sqlite(join(before.dataFolder, 'portico.db')).exec(statement).close();

  const again = await coreOfTest({ dataFolder: before.dataFolder });
  again.gateway.script = async function* () {
    yield 'Another answer.';
  };
  const { messages } = await readThread(again.client, id);
  expect(messages.length).toBeGreaterThan(0);
  const last = messages.at(-1)?.id ?? '';
  await again.client.search.inConversation({ conversationId: id, text: 'answer' });
  await ask(again, 'm4', id);
  await again.client.conversations.fork({ messageId: last });
  await again.client.chat.regenerate({ answerId: last }).catch(() => {});
  await again.client.messages.remove({ messageId: last });
  expect((await readThread(again.client, id)).conversation.id).toBe(id);
});
