import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { seeded } from '../../../../tests/seed/random.ts';
import { chatEnded } from '../../../../tests/support/chat-ended.ts';
import type { TestCore } from '../../../../tests/support/core-of-test.ts';
import { coreWithGateway } from '../../../../tests/support/core-with-gateway.ts';
import { recurringChat } from '../../../../tests/support/recurring-questions.ts';
import { uploaded } from '../../../../tests/support/uploaded.ts';

/** The real gateway runs in this process with its simulated models. It quotes, answers and bills. */
let core: TestCore;

beforeAll(async () => {
  core = await coreWithGateway();
});
afterAll(() => core.close());

const models = ['sandbox/echo', 'sandbox/reasoner'] as const;

test('no bill exceeds the upper bound of its quote, and four of five are near the expected cost', async () => {
  const { client } = core;
  const random = seeded(3);
  let [near, expected] = [0, 0];
  for (let chat = 0; chat < 16; chat += 1) {
    const model = random.pick(models);
    let conversationId: string | null = null;
    for (const { text } of recurringChat(random).slice(0, 3)) {
      const quote = await client.quotes.get({ conversationId, text, attachments: [], model });
      ({ conversationId } = await client.chat.send({ messageId: randomUUID(), conversationId, text, model }));
      const billed = parseUsd((await chatEnded(client, conversationId)).at(-1)?.costUsd ?? '');
      expect(billed).toBeGreaterThan(0n);
      expect(billed).toBeLessThanOrEqual(parseUsd(quote.costUsd?.high ?? '0'));
      if (!quote.expected) continue;
      const off = parseUsd(quote.expected.usd) - billed;
      expected += 1;
      if ((off < 0n ? -off : off) * 100n <= billed * 30n) near += 1;
    }
  }
  expect(expected).toBeGreaterThan(20);
  expect(near / expected).toBeGreaterThanOrEqual(0.8);
});

test('the expected prompt includes a project’s file once the chat is in the project, and no longer after it has left', async () => {
  const { client } = core;
  const model = 'sandbox/echo';
  const { conversationId } = await client.chat.send({ messageId: randomUUID(), text: 'Hello', model });
  await chatEnded(client, conversationId);
  const tokens = async () =>
    (await client.quotes.get({ conversationId, text: 'And now?', attachments: [], model })).promptTokens;
  const alone = await tokens();
  const file = await uploaded(client, 'notes.txt', Buffer.from('The deadline is in May. '.repeat(600)));
  const { id } = await client.organise.createFolder({ name: 'Thesis' });
  await client.organise.setProject({ id, project: { instructions: '', model: null, attachments: [file] } });
  await client.organise.change({ ids: [conversationId], change: { folderId: id } });
  const within = await tokens();
  expect(within.estimate).toBeGreaterThan(alone.estimate + 3_000);
  expect(within.high).toBeGreaterThan(alone.high + 14_400);

  const sent = { messageId: randomUUID(), conversationId, text: 'And now?', model };
  await client.chat.send(sent);
  const billed = (await chatEnded(client, conversationId)).at(-1)?.usage?.promptTokens ?? 0;
  // The last bill included the file, so from now on the provider's count replaces our own.
  const after = await tokens();
  expect(after.estimate).toBeGreaterThanOrEqual(billed);
  expect(after.estimate).toBeLessThan(billed + 100);

  await client.organise.change({ ids: [conversationId], change: { folderId: null } });
  const left = await tokens();
  expect(left.estimate).toBeLessThan(500);
});
