import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noOptions } from '#shared/contract/chat/options.ts';
import { chatEnded } from '../../../../tests/support/chat-ended.ts';
import type { TestCore } from '../../../../tests/support/core-of-test.ts';
import { coreWithGateway } from '../../../../tests/support/core-with-gateway.ts';
import { readThread } from '../../../../tests/support/read-thread.ts';

/** The real gateway runs in this process, so its quotes are those of the request that would be sent. */
let core: TestCore;
let { client } = {} as typeof core;
beforeAll(async () => {
  core = await coreWithGateway();
  ({ client } = core);
});
afterAll(() => core.close());

async function ask(text: string, conversationId: string | null = null) {
  const started = await client.chat.send({ messageId: randomUUID(), conversationId, text, model: 'sandbox/echo' });
  await chatEnded(client, started.conversationId);
  return started;
}

async function getCost(text: string, where: { conversationId?: string; inPlaceOf?: string } = {}) {
  const preview = await client.quotes.route({ conversationId: null, text, attachments: [], model: 'router', ...where });
  if (!preview.known) throw new Error('nothing is known');
  return preview.costUsd;
}

test('an edited message and another answer are previewed with the branch that they would be sent with', async () => {
  const first = await ask('The first question.');
  const { conversationId } = first;
  const second = await ask('words '.repeat(5_000), conversationId);
  const here = (inPlaceOf: string) => ({ conversationId, inPlaceOf });

  expect(await getCost('Hello', here(first.userMessageId))).toEqual(await getCost('Hello'));
  expect(await getCost('', here(first.answerId))).toEqual(await getCost('The first question.'));
  const again = await getCost('', here(second.answerId));
  expect(again).toEqual(await getCost('words '.repeat(5_000), here(second.userMessageId)));
  expect(Number(again?.low)).toBeGreaterThan(Number((await getCost('Hello'))?.low));
  expect(Number((await getCost('Hello', { conversationId }))?.low)).toBeGreaterThan(Number(again?.low));
});

test('a preview for a missing message is refused as not found', async () => {
  const { conversationId } = await ask('A question.');
  const gone = client.quotes.route({
    conversationId,
    inPlaceOf: 'gone',
    text: 'Hello',
    attachments: [],
    model: 'router',
  });
  await expect(gone).rejects.toMatchObject({ code: 'not_found' });
});

test('a price limit that leaves Auto no model is reported before sending and by the failed answer', async () => {
  const { conversationId } = await ask('A first question.');
  const limit = (maxCostUsd: string) =>
    client.options.set({
      chat: conversationId,
      options: { ...noOptions, router: { policy: 'cheapest', maxCostUsd } },
    });
  const asked = { conversationId, text: 'And the next?', model: 'router' };
  const quoted = async () => (await client.quotes.get({ ...asked, attachments: [] })).obstacles.map(({ code }) => code);
  const last = async () => (await readThread(client, conversationId)).messages.at(-1);

  await limit('0.000000001');
  expect(await quoted()).toEqual(['price_limit_exceeded']);
  await client.chat.send({ ...asked, messageId: randomUUID() });
  await chatEnded(client, conversationId);
  expect(await last()).toMatchObject({ status: 'error', error: { code: 'price_limit_exceeded' } });

  await limit('5');
  expect(await quoted()).toEqual([]);
  await client.chat.send({ ...asked, messageId: randomUUID() });
  await chatEnded(client, conversationId);
  const answer = await last();
  expect(answer).toMatchObject({ status: 'done' });
  expect(await client.chat.routing({ messageId: answer?.id ?? '' })).toMatchObject({
    decision: { policy: 'cheapest' },
  });
});
