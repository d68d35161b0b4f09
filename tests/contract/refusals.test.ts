import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SavedServer } from '#shared/contract/app/providers.ts';
import type { RefusalName } from '#shared/language/refusals.ts';
import { coreOfTest } from '../support/core-of-test.ts';
import { readThread } from '../support/read-thread.ts';
import { testCore } from '../support/test-core.ts';

let app: Awaited<ReturnType<typeof testCore>>;
beforeAll(async () => {
  app = await testCore();
});
afterAll(() => app.close());

type Client = (typeof app)['client'];

const nobody = '00000000-0000-4000-8000-000000000000';
const model = 'openai/mini';

/** Valid calls for something that doesn't exist. */
const gone: readonly (readonly [string, (client: Client) => Promise<unknown>])[] = [
  ['an answer of a message', ({ chat }) => chat.answer({ questionId: nobody, model })],
  ['another answer', ({ chat }) => chat.regenerate({ answerId: nobody })],
  ['the rest of an answer', ({ chat }) => chat.continue({ answerId: nobody })],
  ['the branch of a message', ({ messages }) => messages.show({ messageId: nobody, step: 0 })],
  ['a message to remove', ({ messages }) => messages.remove({ messageId: nobody })],
  ['a thread', async ({ chat }) => (await chat.watch({ conversationId: nobody })).next()],
  [
    'a message in a chat',
    ({ chat }) => chat.send({ messageId: randomUUID(), conversationId: nobody, text: 'Hello', model }),
  ],
  [
    'a question to several models in a chat',
    ({ comparisons }) =>
      comparisons.begin({ messageId: randomUUID(), conversationId: nobody, text: 'Hello', models: [model, 'router'] }),
  ],
  ['the column of a comparison', ({ comparisons }) => comparisons.choose({ messageId: nobody })],
  ['a comparison', ({ comparisons }) => comparisons.open({ messageId: nobody })],
  ['the summary of a chat', ({ context }) => context.summary({ conversationId: nobody })],
  ['a folder’s project', ({ organise }) => organise.project({ id: nobody })],
  ['a folder by a new name', ({ organise }) => organise.renameFolder({ id: nobody, name: 'New' })],
  ['a provider', ({ providers }) => providers.check({ id: 'own-nobody' })],
  ['a tool server', ({ tools }) => tools.testServer({ id: nobody })],
  ['a backup of the books', ({ ledger }) => ledger.remove({ name: '../portico.db' })],
  ['a removed backup of the books', ({ ledger }) => ledger.putBack({ name: '../portico.db' })],
];

test.each(gone)('what is not there is said to be gone: %s', async (_what, call) => {
  await expect(call(app.client)).rejects.toMatchObject({ code: 'not_found' });
});

const server: SavedServer = {
  id: null,
  name: 'Cellar',
  kind: 'openai-compatible',
  baseUrl: 'https://cellar.example/v1',
  apiVersion: null,
  key: null,
  headers: [],
  models: [],
};
const toServerList = (count: number) =>
  JSON.stringify({ mcpServers: Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, {}])) });

/** Calls with valid parts that can't be done in this combination. */
const impossible: readonly (readonly [string, (client: Client) => Promise<unknown>, RefusalName])[] = [
  [
    'an address with a query',
    ({ providers }) => providers.setKey({ id: 'openai', baseUrl: 'https://a.example/v1?tenant=1' }),
    'addressHasQuery',
  ],
  [
    'another key without a first',
    async ({ providers }) => {
      const { id } = await providers.saveServer(server);
      return providers.addKey({ id, label: 'Two', key: 'cellar-canary-2' });
    },
    'firstKeyFirst',
  ],
  [
    'a provider of ours, named as an own server',
    async ({ providers }) => {
      await providers.setKey({ id: 'anthropic', key: 'sk-ant-canary' });
      return providers.saveServer({ ...server, id: 'anthropic' });
    },
    'providerNamed',
  ],
  [
    'a model twice in a comparison',
    ({ comparisons }) => comparisons.begin({ messageId: randomUUID(), text: 'Hello', models: [model, model] }),
    'inputRefused',
  ],
  [
    'a model twice in a comparison, by two of its names',
    ({ comparisons }) =>
      comparisons.begin({ messageId: randomUUID(), text: 'Hello', models: ['openai/mini', 'openai/mini-latest'] }),
    'modelTwice',
  ],
  ['tool servers that are too many', ({ tools }) => tools.importServers({ json: toServerList(51) }), 'tooManyServers'],
  ['tool servers that are none', ({ tools }) => tools.importServers({ json: '{"theme":"dark"}' }), 'serversMissing'],
  [
    'a file of the system, in a browser',
    ({ transfer }) => transfer.save({ ids: [nobody], format: 'pdf', name: 'Chats' }),
    'browserSaves',
  ],
];

test.each(impossible)('what cannot be done is refused: %s', async (_what, call, name) => {
  await app.client.models.list();
  await expect(call(app.client)).rejects.toMatchObject({ code: 'invalid_input', data: { refusal: { name } } });
});

test('an id that is another message’s is refused, and so is what a chat has not come to', async () => {
  const { client } = await coreOfTest();
  await client.models.list();
  const hello = { messageId: randomUUID(), text: 'Hello', model };
  const first = await client.chat.send(hello);
  await expect.poll(async () => (await readThread(client, first.conversationId)).runningIds).toEqual([]);
  const { conversationId, userMessageId, answerId } = first;
  for (const refused of [
    client.chat.send({ ...hello, messageId: answerId }),
    client.comparisons.begin({ messageId: userMessageId, text: 'Hello', models: [model, 'router'] }),
    client.comparisons.begin({ messageId: randomUUID(), conversationId, text: 'On' }),
    client.context.compact({ conversationId, model }),
  ])
    await expect(refused).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(client.comparisons.choose({ messageId: answerId })).rejects.toMatchObject({ code: 'not_found' });
});

test('a provider has at most 16 keys, and none is removed that is not there', async () => {
  const { client } = await coreOfTest();
  const id = 'openai';
  await client.providers.setKey({ id, key: 'sk-canary-1' });
  for (let number = 2; number <= 16; number += 1)
    await client.providers.addKey({ id, label: `Key ${number}`, key: `sk-canary-${number}` });
  const refused = { code: 'invalid_input' };
  await expect(client.providers.addKey({ id, label: 'One more', key: 'sk-canary-17' })).rejects.toMatchObject(refused);
  await expect(client.providers.removeKey({ id, keyId: 'nobody' })).rejects.toMatchObject(refused);
  const [shown] = (await client.providers.list()).filter((provider) => provider.id === id);
  expect(shown?.keys).toHaveLength(16);
});

test('a window that saves by itself prints no page for a browser', async () => {
  const { client } = await coreOfTest({
    output: { kind: 'dialog', askWhere: async () => null, printPdf: async () => new Uint8Array() },
  });
  await expect(client.transfer.preparePrint({ ids: [nobody] })).rejects.toMatchObject({ code: 'invalid_input' });
});

test('while the core closes and when it has, nothing more is asked, and that is said', async () => {
  const { core, client, gateway } = await testCore();
  await client.models.list();
  const send = () => client.chat.send({ messageId: randomUUID(), text: 'Hello', model });
  const late = Promise.withResolvers<unknown>();
  gateway.script = async function* ({ signal }) {
    signal.addEventListener('abort', () => late.resolve(send().catch((error: unknown) => error)));
    yield 'begun';
    await late.promise;
  };
  const { conversationId } = await send();
  await expect.poll(async () => (await readThread(client, conversationId)).messages[1]?.text).toBe('begun');
  await core.close();
  for (const refused of [await late.promise, await send().catch((error: unknown) => error)])
    expect(refused).toMatchObject({ code: 'shutting_down', data: { refusal: { name: 'closing' } } });
  expect(gateway.asked).toHaveLength(1);
});
