import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { noOptions } from '#shared/contract/chat/options.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { openStrictServer } from '../../../../tests/support/other-gateways.ts';
import { readThread } from '../../../../tests/support/read-thread.ts';

/** Fields of OpenAI's API that every compatible server accepts. */
const standard = ['model', 'messages', 'stream', 'stream_options', 'temperature', 'max_tokens'];

async function answered(client: Awaited<ReturnType<typeof coreOfTest>>['client'], model: string) {
  const { conversationId } = await client.chat.send({ messageId: randomUUID(), text: 'Hello?', model });
  return eventually(async () => {
    const [, answer] = (await readThread(client, conversationId)).messages;
    expect(answer).toMatchObject({ status: 'done', text: 'Strictly so.' });
    return answer;
  });
}

test('a new chat uses a model of the remote gateway when that gateway lacks the default model', async () => {
  const server = await openStrictServer();
  const { client } = await coreOfTest();
  await client.settings.update({ model: 'anthropic/claude-sonnet-5' });
  await client.gatewayAccounts.add({ baseUrl: server.baseUrl, key: server.key });
  const { model } = await client.settings.get();
  expect(model).toBe('mistral-small');
  expect(await answered(client, model)).toMatchObject({ model: 'mistral-small', costUsd: null });
});

test.each(['router', 'anthropic/claude-sonnet-5', 'sandbox/tour'])(
  'the first message to %s goes to a model that the gateway has, with fields that every server accepts',
  async (model) => {
    const server = await openStrictServer();
    const { client } = await coreOfTest();
    const parameters = { temperature: 0.5, topP: null, maxTokens: 50, reasoningEffort: 'high' as const };
    await client.options.set({ chat: 'new', options: { ...noOptions, parameters } });
    await client.gatewayAccounts.add({ baseUrl: server.baseUrl, key: server.key });
    const quote = await client.quotes.get({ conversationId: null, text: 'Hello?', attachments: [], model });
    expect(quote).toMatchObject({ costUsd: null, modelName: 'mistral-small' });
    expect(await answered(client, model)).toMatchObject({ model: 'mistral-small' });
    expect(Object.keys(server.asked.at(-1) ?? {}).filter((name) => !standard.includes(name))).toEqual([]);
  },
);

test('each gateway keeps the default model that was chosen while it was in use', async () => {
  const server = await openStrictServer();
  const { client } = await coreOfTest();
  await client.settings.update({ model: 'sandbox/tour' });
  const { id } = await client.gatewayAccounts.add({ baseUrl: server.baseUrl, key: server.key });
  await client.settings.update({ model: 'mistral-large', theme: 'dark' });
  expect(await client.settings.get()).toMatchObject({ model: 'mistral-large', theme: 'dark' });
  await client.gatewayAccounts.use({ id: null });
  expect(await client.settings.get()).toMatchObject({ model: 'sandbox/tour', theme: 'dark' });
  await client.gatewayAccounts.use({ id });
  expect(await client.settings.get()).toMatchObject({ model: 'mistral-large' });
});

test('a model that the user chose at the remote gateway is requested unchanged', async () => {
  const server = await openStrictServer();
  const { client } = await coreOfTest();
  await client.gatewayAccounts.add({ baseUrl: server.baseUrl, key: server.key });
  expect(await answered(client, 'mistral-large')).toMatchObject({ model: 'mistral-large' });
});

test('a server that refuses the token count option is asked again without it', async () => {
  const server = await openStrictServer(['stream_options']);
  const { client } = await coreOfTest();
  await client.gatewayAccounts.add({ baseUrl: server.baseUrl, key: server.key });
  await answered(client, 'mistral-small');
  expect(server.asked.at(-1)).not.toHaveProperty('stream_options');
});

test('the error names the field when a server refuses another field', async () => {
  const server = await openStrictServer(['messages']);
  const { client } = await coreOfTest();
  await client.gatewayAccounts.add({ baseUrl: server.baseUrl, key: server.key });
  const sent = { messageId: randomUUID(), text: 'Hello?', model: 'mistral-small' };
  const { conversationId } = await client.chat.send(sent);
  await eventually(async () => {
    const [, answer] = (await readThread(client, conversationId)).messages;
    expect(answer).toMatchObject({
      status: 'error',
      error: { message: expect.stringContaining('body.messages: Extra inputs are not permitted') },
    });
  });
});
