import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { noOptions, noParameters } from '#shared/contract/chat/options.ts';
import { coreOfTest, type TestCore } from '../../../tests/support/core-of-test.ts';
import { readThread } from '../../../tests/support/read-thread.ts';

async function start() {
  const core = await coreOfTest();
  await core.client.models.list();
  return core;
}

const ask = (text: string, more: { conversationId?: string; overCaps?: boolean } = {}) => ({
  messageId: randomUUID(),
  text,
  model: 'openai/gpt',
  ...more,
});
async function answered({ client }: TestCore, conversationId: string, count: number) {
  await expect
    .poll(async () => {
      const { messages } = await readThread(client, conversationId);
      return messages.filter((message) => message.status === 'done').length;
    })
    .toBe(count);
  return (await readThread(client, conversationId)).messages;
}

test('queued messages are sent in order, each once, when the answer is complete', async () => {
  const core = await start();
  const { client, gateway } = core;
  const going = Promise.withResolvers<void>();
  gateway.script = async function* () {
    yield 'One';
    await going.promise;
  };
  const { conversationId } = await client.chat.send(ask('first'));
  for (const text of ['second', 'third']) {
    await client.queue.add({ id: randomUUID(), conversationId, text, attachments: [], model: 'openai/gpt' });
  }
  expect(await client.queue.list({ conversationId })).toHaveLength(2);
  going.resolve();
  const messages = await answered(core, conversationId, 6);
  expect(messages.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual(['first', 'second', 'third']);
  await expect.poll(() => client.queue.list({ conversationId })).toEqual([]);
  expect(gateway.asked).toHaveLength(3);
});

test('queued messages wait after a stop until the user resumes them', async () => {
  const { client, gateway } = await start();
  gateway.script = async function* ({ signal }) {
    yield 'One';
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const { conversationId, answerId } = await client.chat.send(ask('first'));
  await expect.poll(() => gateway.asked.length).toBe(1);
  await client.queue.add({ id: randomUUID(), conversationId, text: 'second', attachments: [], model: 'openai/gpt' });
  await client.chat.stop({ answerId });
  expect(await client.queue.list({ conversationId })).toMatchObject([{ text: 'second', problem: null }]);
  gateway.script = async function* () {
    yield 'Two';
  };
  await client.queue.resume({ conversationId });
  await expect.poll(() => client.queue.list({ conversationId })).toEqual([]);
});

test('a chat uses its own system prompt, and a new chat begins with the preset for new chats', async () => {
  const core = await start();
  const { client, gateway } = core;
  const preset = { id: 'p', name: 'Terse', system: 'Be brief.', model: null, parameters: noParameters };
  await client.presets.save({ ...preset, forNewChats: true });
  await client.presets.save({ ...preset, id: 'q', name: 'Small', model: 'openai/mini', forNewChats: false });
  await client.models.list();
  expect((await client.presets.list()).map(({ modelName }) => modelName)).toEqual(['mini by openai', null]);
  const { conversationId } = await client.chat.send(ask('Hi'));
  await answered(core, conversationId, 2);
  expect(gateway.asked[0]?.messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
  await client.options.set({ chat: conversationId, options: { ...noOptions, system: 'Be long.' } });
  await client.chat.send(ask('Again', { conversationId }));
  await answered(core, conversationId, 4);
  expect(gateway.asked[1]?.messages[0]).toEqual({ role: 'system', content: 'Be long.' });
  await client.presets.remove({ id: 'p' });
  expect(await client.options.get({ chat: 'new' })).toEqual({ ...noOptions, names: {} });
});

test('a quote is estimated from tokens and list price when the gateway has no quotes, and has no amount without a price', async () => {
  const { client } = await start();
  const ask = { conversationId: null, text: 'x'.repeat(350), attachments: [] };
  const quote = await client.quotes.get({ ...ask, model: 'openai/gpt' });
  expect(quote).toMatchObject({ source: 'estimate', costUsd: { low: '0.000052', high: '0.00857' }, openEnded: true });
  expect(quote.promptTokens).toEqual({ low: 52, estimate: 104, high: 378 });
  expect((await client.quotes.get({ ...ask, model: 'openai/free' })).costUsd).toBeNull();
});

test('the expected cost of a message follows the answers of its chat and of its model in other chats', async () => {
  const core = await start();
  const { client } = core;
  const asked = { text: 'And now?', attachments: [], model: 'openai/gpt' };
  expect((await client.quotes.get({ ...asked, conversationId: null })).expected).toBeNull();
  const { conversationId } = await client.chat.send(ask('Hi'));
  const [, answer] = await answered(core, conversationId, 2);
  const { promptTokens = 0, completionTokens = 0 } = answer?.usage ?? {};
  const here = await client.quotes.get({ ...asked, conversationId });
  expect(here.expected).toMatchObject({ completionTokens, answers: { here: 1, elsewhere: 0 }, near: 1 });
  const questionTokens = (await client.quotes.get({ ...asked, conversationId: null })).promptTokens.estimate;
  expect(here.promptTokens.estimate).toBe(promptTokens + completionTokens + questionTokens);
  const elsewhere = await client.quotes.get({ ...asked, conversationId: null });
  expect(elsewhere.expected).toMatchObject({ completionTokens, answers: { here: 0, elsewhere: 1 } });
});

test('a message that might exceed a spending limit is refused before anything is stored, and sent once the limit is waived', async () => {
  const { client, gateway } = await start();
  await client.caps.set({ message: null, conversation: null, day: '0.008', month: null });
  await expect(client.chat.send(ask('x'.repeat(350)))).rejects.toMatchObject({ code: 'cap_exceeded' });
  expect((await client.conversations.list({})).conversations).toEqual([]);
  const core = { client } as TestCore;
  const { conversationId } = await client.chat.send(ask('x'.repeat(350), { overCaps: true }));
  await answered(core, conversationId, 2);
  expect(gateway.asked).toHaveLength(1);
  await expect.poll(async () => (await client.caps.get()).spentUsd.day).toBe('0.000007');
});

test('two messages at once cannot both use the rest of a spending limit that covers only one', async () => {
  const { client } = await start();
  await client.caps.set({ message: null, conversation: null, day: '0.012', month: null });
  const results = await Promise.allSettled([
    client.chat.send(ask('x'.repeat(350))),
    client.chat.send(ask('y'.repeat(350))),
  ]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('an answer’s bill adds up to its cost, and the costs of a deleted chat still count against the spending limits', async () => {
  const core = await start();
  const { conversationId } = await core.client.chat.send(ask('Hi'));
  await answered(core, conversationId, 2);
  await expect
    .poll(async () => (await readThread(core.client, conversationId)).messages[1]?.bill?.lines)
    .toEqual([
      { kind: 'input', tokens: 2, usd: '0.000002' },
      { kind: 'cache_read', tokens: 1, usd: '0.000001' },
      { kind: 'output', tokens: 2, usd: '0.000004' },
    ]);
  const draft = { text: 'unsent', attachments: [], model: null };
  await core.client.drafts.put({ chat: conversationId, draft });
  await core.client.conversations.remove({ id: conversationId });
  expect((await core.client.drafts.get({ chat: conversationId })).text).toBe('');
  expect((await core.client.caps.get()).spentUsd).toMatchObject({ day: '0.000007', month: '0.000007' });
});

test('importing exported prompts adds no prompt twice', async () => {
  const { client } = await start();
  await client.prompts.save({ id: 'a', name: 'Tidy', text: 'Make it shorter.' });
  const file = await client.prompts.export();
  expect(await client.prompts.import({ file })).toEqual({ added: 0, skipped: 1 });
  await client.prompts.remove({ id: 'a' });
  expect(await client.prompts.import({ file })).toEqual({ added: 1, skipped: 0 });
});
