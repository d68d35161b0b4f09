import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openGateway } from '#gateway/open-gateway.ts';
import type { SavedServer } from '#shared/contract/app/providers.ts';
import {
  errorReply,
  openUpstream,
  type Reply,
  streamReply,
} from '../../../../tests/gateway-doubles/upstream-server.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { readThread } from '../../../../tests/support/read-thread.ts';

const named = [{ model: 'house-1', sameAs: null, input: null, output: null, cached: null, pricedOn: null }];

const chunk = (delta: object, finish_reason: string | null) =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const answer = `${chunk({ role: 'assistant', content: 'Hello.' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`;

/** Adds a server that answers chats, and replies like this when its model list is requested. */
async function withServer(list: Reply, models: SavedServer['models'] = []) {
  const upstream = await openUpstream((call, response) =>
    call.method === 'GET' ? list(call, response) : streamReply(answer)(call, response),
  );
  onTestFinished(upstream.close);
  const core = await coreOfTest({ openGateway });
  const saved = await core.client.providers.saveServer({
    id: null,
    name: 'House',
    kind: 'openai-compatible',
    baseUrl: `${upstream.origin}/v1`,
    apiVersion: null,
    key: null,
    headers: [],
    models,
  });
  return { ...core, saved };
}

test.each([404, 405, 501])(
  'a server that answers its model list with %i works, but needs a model to be named',
  async (status) => {
    const { saved } = await withServer(errorReply(status, { error: { message: 'nothing here' } }));
    expect(saved).toMatchObject({
      state: 'works',
      problem: { message: expect.stringContaining('has no list of models. Name a model here') },
    });
  },
);

test('a server without a model list works when a model is named', async () => {
  const { client, saved } = await withServer(errorReply(404, {}), named);
  expect(saved).toMatchObject({ state: 'works', problem: null });
  expect(await client.providers.check({ id: saved.id })).toMatchObject({ state: 'works', problem: null });
  const { models } = await client.models.list();
  expect(models.find(({ id }) => id === 'house/house-1')).toMatchObject({ status: 'available', pricing: null });
  const sent = { messageId: randomUUID(), text: 'Hello?', model: 'house/house-1' };
  const { conversationId } = await client.chat.send(sent);
  await eventually(async () => {
    const [, shown] = (await readThread(client, conversationId)).messages;
    expect(shown).toMatchObject({ status: 'done', text: 'Hello.' });
  });
});

test('an empty model list is reported as a problem, unless a model is named', async () => {
  const empty = errorReply(200, { object: 'list', data: [] });
  expect((await withServer(empty)).saved).toMatchObject({
    state: 'works',
    problem: { message: expect.stringContaining('lists no models') },
  });
  expect((await withServer(empty, named)).saved).toMatchObject({ state: 'works', problem: null });
});

test('a server with a model list works, and one that fails is unreachable', async () => {
  expect((await withServer(errorReply(200, { data: [{ id: 'house-2' }] }))).saved).toMatchObject({
    state: 'works',
    problem: null,
  });
  expect((await withServer(errorReply(500, {}))).saved).toMatchObject({ state: 'unreachable' });
});

test('a known vendor without a model list at its address is unreachable', async () => {
  const upstream = await openUpstream(errorReply(404, { error: { message: 'no such page' } }));
  onTestFinished(upstream.close);
  const { client } = await coreOfTest({ openGateway });
  const key = 'gsk-canary-0123456789';
  expect(await client.providers.setKey({ id: 'groq', key, baseUrl: upstream.origin })).toMatchObject({
    state: 'unreachable',
  });
});
