import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import type { ChatEvent } from '#shared/contract/chat.ts';
import { readUntil, testCore } from '../../../tests/support/test-core.ts';

type TestCore = Awaited<ReturnType<typeof testCore>>;
const open: TestCore[] = [];
async function start() {
  const core = await testCore();
  open.push(core);
  return core;
}
afterEach(async () => {
  for (const core of open.splice(0)) await core.close();
});

const ended = (seen: readonly ChatEvent[]) => seen.at(-1)?.type === 'message-updated';
const ask = (text = 'What is a portico?', model = 'openai/gpt') => ({ messageId: randomUUID(), text, model });
async function sendAndWait({ client }: TestCore, input: Parameters<TestCore['client']['chat']['send']>[0]) {
  const started = await client.chat.send(input);
  const { messages } = await finished({ client }, started);
  return { ...started, messages };
}
async function finished({ client }: Pick<TestCore, 'client'>, { conversationId }: { conversationId: string }) {
  const events = await client.chat.watch({ conversationId });
  const first = await client.conversations.get({ id: conversationId });
  if (first.messages.some((message) => message.status === 'streaming')) await readUntil(events, ended);
  return client.conversations.get({ id: conversationId });
}

test('an answer is stored with its words, its maker and what it was billed', async () => {
  const core = await start();
  await core.client.models.list();
  core.gateway.script = async function* () {
    yield '(think) columns';
    yield 'A porch ';
    yield 'with columns.';
  };
  const { messages } = await sendAndWait(core, ask());
  expect(messages).toHaveLength(2);
  expect(messages[1]).toMatchObject({
    role: 'assistant',
    text: 'A porch with columns.',
    reasoning: '(think) columns',
    status: 'done',
    servedProvider: 'openai',
    servedModel: 'gpt',
    modelName: 'gpt by openai',
    costUsd: '0.000007',
    costSource: 'billed',
    routeReason: null,
    finishReason: 'stop',
    usage: { promptTokens: 3, completionTokens: 2, cachedTokens: 1, reasoningTokens: 0 },
    sibling: { index: 1, count: 1 },
  });
  expect(messages[1]?.requestId).toMatch(/^req_/);
  expect(core.gateway.asked[0]?.metadata).toEqual({ purpose: 'chat', conversation_id: messages[0]?.conversationId });
});

test('sending the same message twice is one message and one request', async () => {
  const core = await start();
  const input = ask();
  const [first, second] = await Promise.all([core.client.chat.send(input), core.client.chat.send(input)]);
  await finished(core, first);
  const third = await core.client.chat.send(input);
  expect([second, third]).toEqual([first, first]);
  expect(core.gateway.asked).toHaveLength(1);
});
