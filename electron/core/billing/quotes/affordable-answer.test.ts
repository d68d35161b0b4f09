import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { allScopes } from '#gateway/access/auth/scopes.ts';
import { Secret } from '#gateway/access/auth/secret.ts';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { noParameters } from '#shared/contract/chat/options.ts';
import { parseUsd } from '#shared/money.ts';
import { chatEnded } from '../../../../tests/support/chat-ended.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { openPricedUpstream, pricedModel } from '../../../../tests/support/priced-upstream.ts';

async function connected(credits: string, promptTokens = 100) {
  const upstream = await openPricedUpstream(() => ({ promptTokens, completionTokens: 100 }));
  const gateway = await openGateway({ database: ':memory:', sandboxPace: 0 });
  gateway.setProvider('openai', { apiKey: new Secret('sk-platform'), baseUrl: upstream.env.OPENAI_BASE_URL });
  const door = await listen(gateway, { port: 0 });
  onTestFinished(async () => {
    await door.close();
    await gateway.close();
    await upstream.close();
  });
  const { id: accountId } = await gateway.operator.createAccount({ name: 'Ada' });
  await gateway.operator.grant({ accountId, amount: parseUsd(credits) });
  const { key } = await gateway.operator.createKey({ accountId, scopes: allScopes });
  const { client } = await coreOfTest({ openGateway });
  await client.gatewayAccounts.add({ baseUrl: door.url, key });
  await client.models.list();
  return client;
}

const draft = { conversationId: null, newChat: 'new', text: 'Hello?', attachments: [], model: pricedModel };

test('a quote offers a shorter answer when the credits do not cover the message, and the gateway accepts it', async () => {
  const client = await connected('0.0005');
  const quote = await client.quotes.get(draft);
  expect(quote.obstacles).toMatchObject([{ code: 'insufficient_credits' }]);
  const maxTokens = quote.affordableTokens ?? 0;
  expect(maxTokens).toBeGreaterThan(100);
  const options = await client.options.get({ chat: 'new' });
  const parameters = { ...noParameters, maxTokens };
  await client.options.set({ chat: 'new', options: { ...options, parameters } });
  expect(await client.quotes.get(draft)).toMatchObject({ obstacles: [], affordableTokens: null });
});

test('a quote offers no shorter answer when the credits cover the message or are used up', async () => {
  expect(await (await connected('5')).quotes.get(draft)).toMatchObject({ obstacles: [], affordableTokens: null });
  expect(await (await connected('0.000001')).quotes.get(draft)).toMatchObject({
    obstacles: [{ code: 'insufficient_credits' }],
    affordableTokens: null,
  });
});

test.each([
  [20, false],
  [3_000, true],
])('a quote after a short prompt with %i billed tokens has no upper bound: %s', async (counted, open) => {
  const client = await connected('5', counted);
  const options = await client.options.get({ chat: 'new' });
  await client.options.set({ chat: 'new', options: { ...options, parameters: { ...noParameters, maxTokens: 200 } } });
  expect(await client.quotes.get(draft)).toMatchObject({ openEnded: false });
  const { conversationId } = await client.chat.send({ ...draft, messageId: randomUUID() });
  await chatEnded(client, conversationId);
  expect(await client.quotes.get({ ...draft, conversationId })).toMatchObject({ openEnded: open });
});
