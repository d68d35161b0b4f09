import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openGateway } from '#gateway/open-gateway.ts';
import { chatEnded } from '../../../../tests/support/chat-ended.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';

test('a ledger line names the chat and the model it was for, until the chat is deleted', async () => {
  const { client } = await coreOfTest({ openGateway });
  await client.models.list();
  const text = 'Name three lakes';
  const { conversationId } = await client.chat.send({ messageId: randomUUID(), text, model: 'sandbox/echo' });
  const [, answer] = await chatEnded(client, conversationId);
  const newest = async () => (await client.credits.get({ billingAccount: 'sandbox' })).transactions.data[0];
  const use = { conversationId, title: text, messageId: answer?.id, purpose: 'chat' };
  expect(await newest()).toMatchObject({ name: 'Sandbox Echo', use, request_id: answer?.requestId });

  await client.messages.remove({ messageId: answer?.id ?? '' });
  expect((await newest())?.use).toEqual({ ...use, messageId: null });
  await client.conversations.remove({ id: conversationId });
  expect(await newest()).toMatchObject({ name: 'Sandbox Echo', use: null });
});
