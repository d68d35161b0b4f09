import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openGateway } from '#gateway/open-gateway.ts';
import { errorReply, openUpstream, streamReply } from '../../../../tests/gateway-doubles/upstream-server.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { readThread } from '../../../../tests/support/read-thread.ts';

const key = 'sk-ant-canary-0123456789';
const unnamed = { sameAs: null, input: null, output: null, cached: null, pricedOn: null };

/** A complete stream of Anthropic's API, with one word and its token counts. */
const answer = [
  { type: 'message_start', message: { id: 'msg_1', role: 'assistant', usage: { input_tokens: 9, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('');

/** Opens a core with the key of a vendor that lists one model which the price book lacks. */
async function withVendor() {
  const list = { data: [{ type: 'model', id: 'claude-sonnet-6-1', display_name: 'Claude Sonnet 6.1' }] };
  const upstream = await openUpstream((call, response) =>
    call.method === 'GET' ? errorReply(200, list)(call, response) : streamReply(answer)(call, response),
  );
  onTestFinished(upstream.close);
  const core = await coreOfTest({ openGateway });
  await core.client.providers.setKey({ id: 'anthropic', key, baseUrl: upstream.origin });
  const model = async (id: string) => (await core.client.models.list()).models.find((candidate) => candidate.id === id);
  return { ...core, model, asked: () => upstream.calls.filter(({ method }) => method === 'POST') };
}

test('a model that the vendor lists but the price book lacks can be used, and its cost is unknown', async () => {
  const { client, model, asked } = await withVendor();
  expect(await model('anthropic/claude-sonnet-6-1')).toMatchObject({
    name: 'Claude Sonnet 6.1',
    status: 'available',
    pricing: null,
  });
  const wanted = { conversationId: null, text: 'Hello?', attachments: [], model: 'anthropic/claude-sonnet-6-1' };
  expect(await client.quotes.get(wanted)).toMatchObject({ costUsd: null, pricesAsOf: null, expected: null });
  const { conversationId } = await client.chat.send({ messageId: randomUUID(), ...wanted });
  await eventually(async () => {
    const [, shown] = (await readThread(client, conversationId)).messages;
    expect(shown).toMatchObject({ status: 'done', text: 'Hello.', costUsd: null, costSource: 'unknown' });
  });
  expect(asked().map(({ body }) => body.model)).toEqual(['claude-sonnet-6-1']);
});

test('a model added by hand is listed with its price and remains after the list is refreshed', async () => {
  const { client, model } = await withVendor();
  const named = await client.providers.nameModels({
    id: 'anthropic',
    models: [
      { ...unnamed, model: 'claude-haiku-6' },
      { ...unnamed, model: 'claude-opus-6', input: '4', output: '20' },
    ],
  });
  expect(named.models).toMatchObject([{ model: 'claude-haiku-6' }, { model: 'claude-opus-6', input: '4' }]);
  expect(await model('anthropic/claude-haiku-6')).toMatchObject({ status: 'available', pricing: null });
  expect(await model('anthropic/claude-opus-6')).toMatchObject({ pricing: { prompt: '0.000004' } });
  expect(await model('anthropic/claude-sonnet-6-1')).toBeDefined();
  await client.providers.check({ id: 'anthropic' });
  expect((await client.providers.list()).find(({ id }) => id === 'anthropic')?.models).toHaveLength(2);
  expect(await model('anthropic/claude-haiku-6')).toBeDefined();
  await client.providers.nameModels({ id: 'anthropic', models: [] });
  expect(await model('anthropic/claude-haiku-6')).toBeUndefined();
});

test('adding models is refused for a provider that is not set up, and for half a price', async () => {
  const { client } = await withVendor();
  await expect(client.providers.nameModels({ id: 'openai', models: [] })).rejects.toMatchObject({ code: 'not_found' });
  const half = [{ ...unnamed, model: 'claude-opus-6', input: '4' }];
  await expect(client.providers.nameModels({ id: 'anthropic', models: half })).rejects.toMatchObject({
    code: 'invalid_input',
  });
});
