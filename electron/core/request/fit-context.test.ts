import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { noOptions } from '#shared/contract/chat/options.ts';
import { coreOfTest } from '../../../tests/support/core-of-test.ts';
import { readThread, readTotal } from '../../../tests/support/read-thread.ts';

/** Opens a chat with a full context. `summary` is what the model answers when it is asked for a summary. */
async function fullChat(options: Partial<typeof noOptions>, summary: string) {
  const core = await coreOfTest();
  const { client, gateway } = core;
  gateway.contextLength = 6000;
  gateway.script = async function* ({ messages }) {
    yield messages[0]?.content.startsWith('Summarise') ? summary : 'An answer.';
  };
  await client.models.list();
  let conversationId: string | null = null;
  async function ask(text: string) {
    const started = await client.chat.send({ messageId: randomUUID(), conversationId, text, model: 'openai/gpt' });
    conversationId = started.conversationId;
    const answer = async () => {
      const { messages } = await readThread(client, started.conversationId);
      return messages.find(({ id }) => id === started.answerId);
    };
    await expect.poll(async () => (await answer())?.status, { interval: 5 }).not.toBe('streaming');
    return { conversationId, answer: await answer() };
  }
  const { conversationId: id } = await ask(`Long. ${'word '.repeat(1_000)}`);
  await client.options.set({ chat: id, options: { ...noOptions, ...options } });
  await ask(`Longer. ${'word '.repeat(1_000)}`);
  return { client, gateway, ask, id, purposes: () => gateway.asked.map(({ metadata }) => metadata.purpose) };
}
const overflowing = `More. ${'word '.repeat(1_000)}`;

test('a chat that summarises automatically writes a summary, billed separately, before a message that would not fit', async () => {
  const { client, ask, id, purposes, gateway } = await fullChat({ summarise: true }, 'It was about words.');
  const quote = await client.quotes.get({
    conversationId: id,
    text: overflowing,
    attachments: [],
    model: 'openai/gpt',
  });
  expect(quote.context).toMatchObject({ overflows: false, summarises: true, reservedTokens: 3000, maxMessages: null });
  expect(await client.context.quoteCompact({ conversationId: id, model: 'openai/gpt' })).toMatchObject({
    messages: 2,
    costUsd: { high: expect.stringMatching(/^0\.01/) },
  });
  const { answer } = await ask(overflowing);
  expect(answer).toMatchObject({ status: 'done', room: { summarised: 2, leftOut: 0, why: null } });
  expect(purposes()).toEqual(['chat', 'chat', 'compact', 'chat']);
  expect(gateway.asked.at(-1)?.messages[0]?.content).toContain('It was about words.');
  await expect
    .poll(() => readTotal(client, id))
    .toMatchObject({ requests: 4, unknown: 0, usd: '0.000028', auxiliary: [{ purpose: 'compact', usd: '0.000007' }] });
  expect((await ask('short')).answer).toMatchObject({ status: 'done', room: null });
  expect(purposes()).toHaveLength(5);
});

test('an answer notes a failed summary, and is still written when old messages may be left out', async () => {
  const { ask, purposes } = await fullChat({ summarise: true, overflow: 'drop' }, ' ');
  const { answer } = await ask(overflowing);
  expect(answer).toMatchObject({ status: 'done', room: { summarised: null, leftOut: 2 } });
  expect(answer?.room?.why).toMatchObject({ message: expect.stringContaining('no summary') });
  expect(purposes()).toEqual(['chat', 'chat', 'compact', 'chat']);
});

test('a message is not sent after a failed summary when old messages may not be left out', async () => {
  const { ask, purposes } = await fullChat({ summarise: true }, ' ');
  const { answer } = await ask(overflowing);
  expect(answer).toMatchObject({ status: 'error', error: { code: 'context_length_exceeded' } });
  expect(answer?.error?.message).toContain('no summary');
  expect(purposes()).toEqual(['chat', 'chat', 'compact']);
});

test('a chat does not summarise automatically unless its options allow it', async () => {
  const { ask, purposes } = await fullChat({ overflow: 'drop' }, 'never asked for');
  expect((await ask(overflowing)).answer).toMatchObject({ status: 'done', room: null });
  expect(purposes()).toEqual(['chat', 'chat', 'chat']);
});
