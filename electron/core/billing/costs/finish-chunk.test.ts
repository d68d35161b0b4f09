import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { chatEnded } from '../../../../tests/support/chat-ended.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { readThread, readTotal } from '../../../../tests/support/read-thread.ts';

const lines = [
  { kind: 'input', tokens: 3, usd: '0.000003' },
  { kind: 'output', tokens: 2, usd: '0.000004' },
];

async function ask(breakdown: boolean, model = 'openai/gpt') {
  const { client, gateway } = await coreOfTest();
  if (breakdown) gateway.breakdown = { cost_lines: lines, price_as_of: '2026-11-20', price_source: 'override' };
  const { conversationId } = await client.chat.send({ messageId: randomUUID(), text: 'Hello?', model });
  await chatEnded(client, conversationId);
  const { messages } = await readThread(client, conversationId);
  return { answer: messages[1], total: await readTotal(client, conversationId), gateway };
}

test('the app does not ask for the request’s record when the last chunk has the cost and its lines', async () => {
  const { answer, total, gateway } = await ask(true);
  expect(answer).toMatchObject({ status: 'done', costUsd: '0.000007', costSource: 'byok' });
  expect(answer?.bill).toEqual({ lines, price: { asOf: '2026-11-20', entered: true } });
  expect(total).toMatchObject({ usd: '0.000007', requests: 1, unknown: 0, notBilled: 1 });
  expect(gateway.recordsAsked).toEqual([]);
});

test('the app asks for the request’s record when the last chunk has no cost lines', async () => {
  const { answer, gateway } = await ask(false);
  expect(answer).toMatchObject({ costUsd: '0.000007', costSource: 'byok' });
  expect(answer?.bill?.lines).toHaveLength(3);
  expect(gateway.recordsAsked.length).toBeGreaterThan(0);
});
