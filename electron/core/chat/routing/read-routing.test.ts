import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { noOptions } from '#shared/contract/chat/options.ts';
import { coreOfTest, type TestCore } from '../../../../tests/support/core-of-test.ts';
import { readThread } from '../../../../tests/support/read-thread.ts';

let core: TestCore;
beforeEach(async () => {
  core = await coreOfTest();
  await core.client.models.list();
});

async function answered(model: string, conversationId?: string) {
  const started = await core.client.chat.send({
    messageId: randomUUID(),
    text: 'Hi',
    model,
    ...(conversationId ? { conversationId } : {}),
  });
  await expect
    .poll(async () => (await readThread(core.client, started.conversationId)).messages.at(-1)?.status)
    .toBe('done');
  return started;
}

const decision = {
  policy: 'balanced',
  reason: 'fallback 1 with score 0.6 of 2 eligible',
  selected: 'openai/free',
  upstream_model: 'free',
  catalog_version: '2026-11-20',
  complexity: { tier: 'simple', score: 1 },
  relaxed: false,
  attempts: [
    { provider: 'openai', model: 'gpt', status: 'error', code: 'upstream_overloaded', latency_ms: 120 },
    { provider: 'openai', model: 'free', status: 'ok', code: null, latency_ms: 40 },
  ],
  candidates: [
    { id: 'elsewhere/blind', excluded: ['capability:vision', 'context'] },
    { id: 'openai/free', score: 0.6 },
    { id: 'openai/gpt', score: 0.7 },
  ],
};

test('a routing decision lists candidates best first, its attempts, and the exact price of the same tokens with another model', async () => {
  core.gateway.decision = decision;
  const { answerId } = await answered('router');
  const answer = await core.client.chat.routing({ messageId: answerId });
  expect(answer).toMatchObject({
    known: true,
    decision: {
      selected: { id: 'openai/free' },
      tier: 'simple',
      candidates: [
        { id: 'openai/gpt', score: 0.7, price: { prompt: '0.000001', completion: '0.000002' }, excluded: [] },
        { id: 'openai/free', score: 0.6 },
        { id: 'elsewhere/blind', score: null, price: null, excluded: ['capability:vision', 'context'] },
      ],
      attempts: [{ id: 'openai/gpt', failed: true, code: 'upstream_overloaded', latencyMs: 120 }, { failed: false }],
      // Of 3 input tokens one was cached, but another model has no cache of this chat. There are 2 output tokens.
      alternative: { id: 'openai/gpt', costUsd: '0.000007', moreUsd: '0' },
    },
  });
});

test('a routing answer has the reason when the decision is unknown: the record has none, or there is no record', async () => {
  const { answerId } = await answered('router');
  expect(await core.client.chat.routing({ messageId: answerId })).toEqual({ known: false, why: 'no_decision' });
  core.gateway.records.clear();
  expect(await core.client.chat.routing({ messageId: answerId })).toEqual({ known: false, why: 'no_decision' });
  await expect(core.client.chat.routing({ messageId: 'gone' })).rejects.toMatchObject({ code: 'not_found' });
});

test('a chat’s routing options are sent only with requests to the router', async () => {
  const { conversationId } = await answered('router');
  await core.client.options.set({
    chat: conversationId,
    options: {
      ...noOptions,
      router: { policy: 'cheapest', maxCostUsd: '0.02' },
      ignore: ['sandbox/tour', 'openai/gone'],
    },
  });
  const { names } = await core.client.options.get({ chat: conversationId });
  expect(names).toEqual({ 'sandbox/tour': 'tour by sandbox', 'openai/gone': 'openai/gone' });
  await answered('router', conversationId);
  await answered('openai/gpt', conversationId);
  expect(core.gateway.asked.map(({ route }) => route)).toEqual([
    { policy: 'balanced' },
    { policy: 'cheapest', max_cost_usd: '0.02', ignore: ['sandbox/tour', 'openai/gone'] },
    undefined,
  ]);
});
