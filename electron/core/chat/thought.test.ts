import { afterEach, expect, test } from 'vitest';
import type { ChatEvent } from '#shared/contract/chat/chat.ts';
import { readThread } from '../../../tests/support/read-thread.ts';
import { readUntil, testCore } from '../../../tests/support/test-core.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

test('the thinking time is sent to readers when the text begins, and stored', async () => {
  let time = 1_000_000;
  const core = await testCore({ now: () => time });
  closing.push(core.close);
  const { client } = core;
  const thinking = Promise.withResolvers<void>();
  const writing = Promise.withResolvers<void>();
  core.gateway.script = async function* () {
    yield '(think) columns';
    await thinking.promise;
    yield 'A porch ';
    await writing.promise;
    yield 'with columns.';
  };
  const { conversationId, answerId } = await client.chat.send({ messageId: 'm', text: 'Why?', model: 'openai/gpt' });
  const events = await client.chat.watch({ conversationId });
  await events.next();
  const contains = (word: string) => (seen: readonly ChatEvent[]) => JSON.stringify(seen).includes(word);
  await readUntil(await client.chat.watch({ conversationId }), contains('columns'));
  expect((await readThread(client, conversationId)).answers).toMatchObject([{ thoughtMs: null }]);
  time += 4000;
  thinking.resolve();
  const seen = await readUntil(events, contains('"thoughtMs":4000'));
  expect(seen.at(-1)).toMatchObject({ type: 'message-updated', message: { id: answerId, status: 'streaming' } });
  time += 9000;
  writing.resolve();
  await expect.poll(async () => (await readThread(client, conversationId)).runningIds).toEqual([]);
  const [, answer] = (await readThread(client, conversationId)).messages;
  expect(answer).toMatchObject({ text: 'A porch with columns.', thoughtMs: 4000 });
});

test('an answer without reasoning has no thinking time', async () => {
  const core = await testCore();
  closing.push(core.close);
  const { conversationId } = await core.client.chat.send({ messageId: 'm', text: 'Why?', model: 'openai/gpt' });
  await expect.poll(async () => (await readThread(core.client, conversationId)).runningIds).toEqual([]);
  expect((await readThread(core.client, conversationId)).messages[1]?.thoughtMs).toBeNull();
});
