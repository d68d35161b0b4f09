import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openGateway } from '#gateway/open-gateway.ts';
import { openUpstream } from '../../../../tests/gateway-doubles/upstream-server.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import {
  type OtherGateway,
  openInterfaceGateway,
  openOpenRouter,
  openPlainServer,
  openStrictServer,
} from '../../../../tests/support/other-gateways.ts';
import { readThread } from '../../../../tests/support/read-thread.ts';

/** The month that this gateway reports, regardless of the requested period. */
const period = { first: '2026-11-01', last: '2026-11-30', zone: 'UTC' };

/**
 * Connects a core to the gateway. `state` is `ok` if the gateway verifies the key, and `answers` if it only answers.
 */
async function connected({ baseUrl, key }: OtherGateway, state: 'ok' | 'answers' = 'ok') {
  const core = await coreOfTest({ openGateway });
  await core.client.gatewayAccounts.add({ baseUrl, key });
  expect((await core.client.gateway.get()).status).toMatchObject({ state, problem: null });
  const model = async (id: string) => (await core.client.models.list()).models.find((candidate) => candidate.id === id);
  const getAnswer = async (name: string, costSource: string) => {
    await core.client.quotes.get({ conversationId: null, text: 'Hello?', attachments: [], model: name });
    const { conversationId } = await core.client.chat.send({ messageId: randomUUID(), text: 'Hello?', model: name });
    return eventually(async () => {
      const [, answer] = (await readThread(core.client, conversationId)).messages;
      expect(answer).toMatchObject({ status: 'done', costSource });
      return answer;
    });
  };
  return { ...core, model, getAnswer };
}

test('a minimal gateway with its own response shapes is read as far as it reports, and the rest is unknown', async () => {
  const gateway = await openInterfaceGateway();
  const { client, model, getAnswer } = await connected(gateway);
  expect(await model('openai/gpt-5.4-mini')).toMatchObject({
    name: 'GPT-5.4 mini',
    context_length: 400_000,
    capabilities: ['streaming', 'tools', 'vision'],
    pricing: { prompt: '0.00000075', completion: '0.0000045', as_of: null },
  });
  expect(await client.account.wallets()).toMatchObject([
    { name: 'Ada Lovelace', billing: null, balance: { amount: '12.5', held: null, total_used: null } },
  ]);
  expect(await client.account.get({ billingAccount: 'main' })).toMatchObject({
    id: '42',
    email: 'ada@example.com',
    created: null,
    status: null,
    plan: { name: 'Pro', billing: null, limits: null },
    usage: { period: null, requests: 31, total_tokens: 64_000, cost_usd: null },
  });
  const { transactions } = await client.credits.get({ billingAccount: 'main' });
  expect(transactions).toMatchObject({
    has_more: false,
    data: [
      { id: '8', type: 'usage', amount: '-7.5', balance_after: null, created: 1_793_606_400, name: 'GPT-5.4 mini' },
      { id: '7', type: 'purchase', amount: '20', description: 'Card' },
    ],
  });
  expect(await client.usage.get({ billingAccount: 'main', groupBy: 'model', period })).toMatchObject({
    ofPeriod: true,
    zone: 'UTC',
    before: null,
    perDay: null,
    series: null,
    totals: { requests: 31, cost_usd: '7.5', failed: null },
    groups: [{ name: 'GPT-5.4 mini', requests: 31, cost_usd: '7.5', share: 1 }],
  });
  // This gateway reports its own month by model, regardless of the query.
  const week = { first: '2026-11-02', last: '2026-11-08', zone: 'Europe/Berlin' };
  expect(await client.usage.get({ billingAccount: 'main', groupBy: 'key', period: week })).toMatchObject({
    ofPeriod: false,
    ownPeriod: { first: '2026-11-01', last: '2026-11-30' },
    groups: null,
  });
  expect(await client.usage.insights({ billingAccount: 'main', period })).toEqual({
    forecast: null,
    failures: null,
    cache_savings_usd: null,
  });
  expect(await getAnswer('openai/gpt-5.4-mini', 'estimated')).toMatchObject({
    text: 'Well told.',
    servedProvider: 'openai',
    servedModel: 'gpt-5.4-mini',
    finishReason: 'stop',
    // This gateway doesn't report tokens per request, so the cost comes from the app's own count and is marked as
    // estimated.
    costUsd: expect.stringMatching(/^0\.0000\d+$/),
  });
});

test('a plain server is recognised by its models, tokens are counted, and an unreported price is unknown', async () => {
  const server = await openPlainServer();
  const { client, model, getAnswer } = await connected(server, 'answers');
  expect(await model('qwen3-8b')).toMatchObject({ owned_by: 'llamacpp', context_length: 40_960, pricing: null });
  expect(await client.account.wallets()).toMatchObject([{ name: new URL(server.baseUrl).host, balance: null }]);
  expect(await client.account.get({ billingAccount: 'main' })).toMatchObject({
    id: null,
    plan: null,
    credential: null,
  });
  await expect(client.credits.get({ billingAccount: 'main' })).rejects.toMatchObject({ code: 'not_reported' });
  await expect(client.usage.get({ billingAccount: 'main', groupBy: 'model', period })).rejects.toMatchObject({
    code: 'not_reported',
  });
  expect(await getAnswer('qwen3-8b', 'unknown')).toMatchObject({
    text: 'Plainly.',
    usage: { promptTokens: 9, completionTokens: 2 },
    costUsd: null,
  });
});

test('an answer whose stream ends without a finish reason keeps its text and is marked as cut off', async () => {
  const { client } = await connected(await openPlainServer(null), 'answers');
  const sent = { messageId: randomUUID(), text: 'Hello?', model: 'qwen3-8b' };
  const { conversationId } = await client.chat.send(sent);
  await eventually(async () => {
    const [, answer] = (await readThread(client, conversationId)).messages;
    expect(answer).toMatchObject({ text: 'Plainly.', status: 'error', error: { code: 'upstream_truncated' } });
  });
});

test('a strict server under another base path gets only fields it knows and may end without a final event', async () => {
  const server = await openStrictServer();
  const { client, getAnswer } = await connected(server, 'answers');
  const { models } = await client.models.list();
  expect(models.map(({ id }) => id)).toEqual(['mistral-small', 'mistral-large']);
  expect(await getAnswer('mistral-small', 'unknown')).toMatchObject({
    text: 'Strictly so.',
    finishReason: 'stop',
    costUsd: null,
  });
  expect(server.asked.at(-1)).not.toHaveProperty('metadata');
  await expect(client.gatewayAccounts.add({ baseUrl: server.baseUrl, key: 'another-key-0' })).rejects.toMatchObject({
    code: 'invalid_api_key',
  });
});

test('OpenRouter reports prices, the true cost of an answer, and the balance that the key may read', async () => {
  const router = await openOpenRouter();
  const { client, model, getAnswer } = await connected(router);
  expect(await model('openrouter/auto')).toMatchObject({ pricing: null });
  expect(await model('anthropic/claude-sonnet-5')).toMatchObject({
    provider: 'anthropic',
    model: 'claude-sonnet-5',
    max_output_tokens: 64_000,
    capabilities: ['streaming', 'tools', 'vision', 'reasoning', 'files'],
    pricing: { prompt: '0.000003', input_cache_read: '0.0000003' },
  });
  expect(await getAnswer('anthropic/claude-sonnet-5', 'billed')).toMatchObject({
    text: 'Routed.',
    costUsd: '0.00012',
    modelName: 'Anthropic: Claude Sonnet 5',
  });
  expect(await client.account.get({ billingAccount: 'main' })).toMatchObject({
    credential: { label: 'sk-or-v1-012...789' },
  });
  const credits = await client.credits.get({ billingAccount: 'main' });
  expect(credits).toMatchObject({
    balance: '74.75',
    total_granted: '100.5',
    transactions: { reported: false, data: [] },
  });
});

test('an OpenRouter key without management rights gets insufficient_scope for credits and can still chat', async () => {
  const { client, getAnswer } = await connected(await openOpenRouter({ management: false }));
  await expect(client.credits.get({ billingAccount: 'main' })).rejects.toMatchObject({ code: 'insufficient_scope' });
  expect(await client.account.wallets()).toMatchObject([{ balance: { amount: '74.5', of: 'key' } }]);
  await getAnswer('anthropic/claude-sonnet-5', 'billed');
});

/** A record as OpenRouter documents it (`GET /generation`). */
const generation = {
  model: 'anthropic/claude-sonnet-5',
  provider_name: 'Anthropic',
  created_at: '2026-11-20T21:19:33.705Z',
  total_cost: 0.001234567891,
  usage: 0.001234567891,
  upstream_inference_cost: null,
  is_byok: false,
  streamed: true,
  cancelled: true,
  finish_reason: null,
  tokens_prompt: 65,
  tokens_completion: 116,
  native_tokens_prompt: 64,
  native_tokens_completion: 98,
  native_tokens_reasoning: 8,
  native_tokens_cached: null,
};

/** Returns an answer that was stopped after its first word, once its cost is settled as `costSource`. */
async function stopAnswer(record: Record<string, unknown>, costSource: string) {
  const { client } = await connected(await openOpenRouter({ generation: record }));
  const model = 'anthropic/claude-sonnet-5';
  await client.models.list();
  const { conversationId, answerId } = await client.chat.send({ messageId: randomUUID(), text: 'Hello?', model });
  const answer = async () => (await readThread(client, conversationId)).messages[1];
  await eventually(async () => expect((await answer())?.text).toBe('Routed'));
  await client.chat.stop({ answerId });
  return eventually(async () => {
    const found = await answer();
    expect(found).toMatchObject({ status: 'cancelled', costSource });
    return found;
  });
}

test('a stopped answer gets its cost from OpenRouter’s record as soon as that exists', async () => {
  expect(await stopAnswer(generation, 'billed')).toMatchObject({
    requestId: 'gen-123',
    costUsd: '0.001234568',
    usage: { promptTokens: 64, completionTokens: 98, cachedTokens: 0, reasoningTokens: 8 },
  });
});

test('a stopped answer is free only if OpenRouter reports $0; without an amount its cost is estimated', async () => {
  const free = { ...generation, total_cost: 0, usage: 0, cancelled: false };
  expect(await stopAnswer(free, 'uncharged')).toMatchObject({ costUsd: '0', usage: { promptTokens: 64 } });
  const { total_cost: _, usage: __, ...without } = generation;
  expect(await stopAnswer(without, 'estimated')).toMatchObject({ costUsd: expect.stringMatching(/^0\.000\d+$/) });
  // Paid with the person's own key, for which the provider reported no amount.
  expect(await stopAnswer({ ...generation, is_byok: true, total_cost: 0 }, 'estimated')).toMatchObject({
    costUsd: expect.stringMatching(/^0\.000\d+$/),
  });
});

test.each([
  [
    { balance: '12.50', currency: 'EUR' },
    { amount: '12.5', unit: 'EUR' },
  ],
  [{ credits: 1250 }, { amount: '1250', unit: 'credits' }],
])('a gateway that does not count in dollars keeps its unit when it reports %j', async (credits, otherBalance) => {
  const server = await openUpstream((call, response) => {
    const answers: Record<string, object> = {
      '/v1/models': { data: [{ id: 'house/model', pricing: { input: 75, output: 450, unit: 'cents per 1M tokens' } }] },
      '/v1/credits': credits,
      '/v1/usage': { total_cost: '7.50', ...credits, currency: 'EUR' },
    };
    const answer = answers[(call.path ?? '').split('?')[0] ?? ''];
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
  });
  onTestFinished(server.close);
  const { client, model } = await connected(
    { baseUrl: server.origin, key: 'sk-house-0123456789', asked: [] },
    'answers',
  );
  expect(await model('house/model')).toMatchObject({ pricing: { prompt: '0.00000075' } });
  expect(await client.account.wallets()).toMatchObject([{ balance: null, otherBalance }]);
  await expect(client.credits.get({ billingAccount: 'main' })).rejects.toMatchObject({ code: 'not_reported' });
  await expect(client.usage.get({ billingAccount: 'main', groupBy: 'model', period })).rejects.toMatchObject({
    code: 'not_reported',
  });
});

test.each([
  [{ balance: 12.5, currency: 'EUR' }, 0.5],
  [{ credits: 1250, unit: 'credits' }, 5],
  [{ balance: { amount: 12.5, currency: 'EUR' } }, { amount: 0.5, currency: 'EUR' }],
])(
  'with a balance of %j, a cost of %j is of that unit: unknown in dollars, and in no sum of them',
  async (credits, cost) => {
    const server = await openUpstream((call, response) => {
      const path = (call.path ?? '').split('?')[0] ?? '';
      if (path === '/v1/chat/completions') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const usage = { prompt_tokens: 4, completion_tokens: 2, cost };
        response.write(
          `data: ${JSON.stringify({ choices: [{ delta: { content: 'Words.' }, finish_reason: 'stop' }] })}\n\n`,
        );
        return void response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
      }
      const answers: Record<string, object> = {
        '/v1/models': {
          data: [
            { id: 'house/bare', pricing: { prompt: '0.000001', completion: '0.000002' } },
            { id: 'house/named', pricing: { input_usd_per_million: 1, output_usd_per_million: 2 } },
          ],
        },
        '/v1/credits': credits,
      };
      const answer = answers[path];
      response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
    });
    onTestFinished(server.close);
    const { client, model, getAnswer } = await connected(
      { baseUrl: server.origin, key: 'sk-house-0123456789', asked: [] },
      'answers',
    );
    expect(await model('house/named')).toMatchObject({ pricing: { prompt: '0.000001' } });
    expect(await model('house/bare')).toMatchObject({ pricing: null });
    expect(await getAnswer('house/bare', 'unknown')).toMatchObject({ text: 'Words.', costUsd: null });
    const [chat] = (await client.conversations.list({})).conversations;
    expect((await readThread(client, chat?.id ?? '')).total).toMatchObject({ usd: '0', unknown: 1 });
  },
);
