import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { columns, models, question, read } from '../../../tests/support/compared.ts';
import { coreOfTest, type TestCore } from '../../../tests/support/core-of-test.ts';

async function start() {
  const core = await coreOfTest();
  await core.client.models.list();
  return core;
}

/** Starts a chat with a finished comparison. Each answer names its model, as do all later ones. */
async function compared(core: TestCore) {
  core.gateway.script = async function* ({ model, messages }) {
    yield `${model} after ${messages.length}`;
  };
  const { conversationId } = await core.client.comparisons.begin(question());
  await columns(core, conversationId, 'done', 3);
  return conversationId;
}
const further = (conversationId: string) => ({ messageId: randomUUID(), conversationId, text: 'And why?' });
const lastRow = (thread: Awaited<ReturnType<typeof read>>) =>
  thread.columns.filter(({ comparison }) => comparison?.id === thread.messages.at(-1)?.comparison?.id);

test('a further question to all columns goes to each model with that model’s own earlier answer', async () => {
  const core = await start();
  const conversationId = await compared(core);
  const asked = { conversationId, text: 'And why?', attachments: [] };
  const quote = await core.client.comparisons.quote(asked);
  expect(quote.columns.map(({ model }) => model)).toEqual(models);
  const { userMessageId, answerIds } = await core.client.comparisons.begin(further(conversationId));
  await columns(core, conversationId, 'done', 6);
  const { messages, columns: all } = await read(core, conversationId);
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(messages[2]?.id).toBe(userMessageId);
  expect(all.slice(3).map(({ id }) => id)).toEqual(answerIds);
  expect(all.slice(3).map(({ text }) => text)).toEqual(models.map((model) => `${model} after 3`));
  const histories = core.gateway.asked.slice(3).map(({ model, messages: sent }) => [model, sent[1]?.content]);
  expect(histories).toEqual(models.map((model) => [model, `${model} after 1`]));
  const found = await core.client.search.find({ query: '"And why?"', limit: 9 });
  expect(found.hits.map(({ message }) => message?.id)).toEqual([userMessageId]);
});

test('choosing a column after a further question shows exactly what its model was asked, and all columns can be shown again', async () => {
  const core = await start();
  const { client } = core;
  const conversationId = await compared(core);
  const { answerIds } = await client.comparisons.begin(further(conversationId));
  await columns(core, conversationId, 'done', 6);
  await client.comparisons.choose({ messageId: answerIds[1] ?? '' });
  const chosen = await read(core, conversationId);
  expect(chosen.columns).toEqual([]);
  expect(chosen.messages.map(({ text }) => text)).toEqual([
    ...['Which is best?', 'openai/large after 1'],
    ...['And why?', 'openai/large after 3'],
  ]);
  await client.comparisons.open({ messageId: answerIds[1] ?? '' });
  expect((await read(core, conversationId)).columns).toHaveLength(6);
  await expect(client.chat.send({ ...further(conversationId), model: 'openai/mini' })).rejects.toMatchObject({
    code: 'comparison_open',
  });
});

test('a further question follows the retried answer of a column, and a retry of its own answer stays in its column', async () => {
  const core = await start();
  const { client } = core;
  const conversationId = await compared(core);
  const [first] = (await read(core, conversationId)).columns;
  core.gateway.script = async function* ({ model }) {
    yield `${model} once more`;
  };
  await client.chat.regenerate({ answerId: first?.id ?? '' });
  await columns(core, conversationId, 'done', 4);
  const { answerIds } = await client.comparisons.begin(further(conversationId));
  await columns(core, conversationId, 'done', 7);
  expect(core.gateway.asked[4]?.messages[1]?.content).toBe('openai/mini once more');
  expect((await read(core, conversationId)).messages.map(({ text }) => text)).toContain('openai/mini once more');
  await client.chat.regenerate({ answerId: answerIds[2] ?? '' });
  await columns(core, conversationId, 'done', 8);
  expect(lastRow(await read(core, conversationId)).map(({ comparison }) => comparison?.column)).toEqual([0, 1, 2, 2]);
});

test('a further question is removed and restored in all columns, and an edited one continues below the first column only', async () => {
  const core = await start();
  const { client } = core;
  const conversationId = await compared(core);
  const { userMessageId } = await client.comparisons.begin(further(conversationId));
  await columns(core, conversationId, 'done', 6);
  const { deletionId } = await client.messages.remove({ messageId: userMessageId });
  expect((await read(core, conversationId)).columns).toHaveLength(3);
  await client.messages.restore({ deletionId });
  expect((await read(core, conversationId)).columns).toHaveLength(6);
  const { answerId } = await client.chat.send({
    ...further(conversationId),
    text: 'Why, in a word?',
    model: 'openai/mini',
    editOf: userMessageId,
  });
  await expect.poll(async () => (await read(core, conversationId)).runningIds).toEqual([]);
  const { messages, columns: shown } = await read(core, conversationId);
  expect(messages.at(-1)?.id).toBe(answerId);
  expect(shown).toEqual([]);
  expect(core.gateway.asked.at(-1)?.messages[1]?.content).toBe('openai/mini after 1');
});

test('a further question to all columns is refused when the chat does not end in answers side by side', async () => {
  const core = await start();
  const conversationId = await compared(core);
  const [first] = (await read(core, conversationId)).columns;
  await core.client.comparisons.choose({ messageId: first?.id ?? '' });
  await expect(core.client.comparisons.begin(further(conversationId))).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('side by side'),
  });
  const { columns: none } = await core.client.comparisons.quote({ conversationId, text: 'So?', attachments: [] });
  expect(none).toEqual([]);
  expect(core.gateway.asked).toHaveLength(3);
});
