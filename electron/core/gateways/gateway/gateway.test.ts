import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { allScopes } from '#gateway/access/auth/scopes.ts';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { addDays, dayIn } from '#shared/days.ts';
import type { Scope } from '#shared/wire/account.ts';
import { completion, getModel, openOwnServers } from '../../../../tests/gateway-doubles/own-servers.ts';
import { askedAndAnswered } from '../../../../tests/support/asked-and-answered.ts';
import { coreOfTest, type TestCoreOptions } from '../../../../tests/support/core-of-test.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { freePort } from '../../../../tests/support/free-port.ts';
import { memorySecrets } from '../../../../tests/support/memory-secrets.ts';

/** A core with the real gateway inside. */
async function start(more: TestCoreOptions = {}) {
  const core = await coreOfTest({ openGateway, ...more });
  return core;
}

/** A remote gateway with one account. */
async function openRemoteGateway(wanted: { readonly scopes?: readonly Scope[] } = { scopes: allScopes }) {
  const gateway = await openGateway({ database: ':memory:', sandboxPace: 0 });
  const account = await gateway.operator.createAccount({ name: 'Team', plan: 'sandbox' });
  const { key } = await gateway.operator.createKey({ accountId: account.id, ...wanted });
  const door = await listen(gateway, { port: 0 });
  onTestFinished(async () => {
    await door.close();
    await gateway.close();
  });
  return { url: door.url, key };
}

test('the first start opens test credits once, and the account for own keys is marked as unused', async () => {
  const openSecrets = async () => secrets;
  const secrets = memorySecrets();
  const first = await start({ openSecrets });
  expect(await first.client.account.wallets()).toMatchObject([
    { id: 'main', used: false, billing: 'meter_only', balance: { total_used: '0' } },
    { id: 'sandbox', used: true, name: 'Test credits', simulated: true, balance: { amount: '10' } },
  ]);
  const keys = [...secrets.items.entries()];
  expect(keys.map(([name]) => name.split('/').slice(1).join('/')).sort()).toEqual(['gateway/main', 'gateway/sandbox']);
  await first.core.close();
  const second = await start({ openSecrets, dataFolder: first.dataFolder });
  const { transactions } = await second.client.credits.get({ billingAccount: 'sandbox' });
  expect(transactions.data.map(({ description }) => description)).toEqual(['Opening test credits']);
  expect([...secrets.items.entries()]).toEqual(keys);
});

test('without a keychain, each start creates new keys and revokes the old ones', async () => {
  const openSecrets = () => Promise.reject(new Error('DBus error'));
  const first = await start({ openSecrets });
  await first.client.account.wallets();
  await first.core.close();
  let opened: Awaited<ReturnType<typeof openGateway>> | undefined;
  const keep: typeof openGateway = async (options) => {
    opened = await openGateway(options);
    return opened;
  };
  const second = await start({ openSecrets, openGateway: keep, dataFolder: first.dataFolder });
  expect(await second.client.account.wallets()).toHaveLength(2);
  for (const { id } of (await opened?.operator.listAccounts()) ?? []) {
    const keys = (await opened?.operator.listKeys(id)) ?? [];
    expect(keys.map((key) => key.revokedAt === null)).toHaveLength(2);
    expect(keys.filter((key) => key.revokedAt === null)).toHaveLength(1);
  }
});

test('a router answer is paid from test credits, exact to the nano-dollar, until a provider is set up', async () => {
  const core = await start();
  const answer = await askedAndAnswered(core, 'router');
  expect(answer).toMatchObject({ status: 'done', simulated: true, costSource: 'billed' });
  const { transactions } = await core.client.credits.get({ billingAccount: 'sandbox' });
  expect(transactions.data[0]).toMatchObject({ amount: `-${answer?.costUsd}`, request_id: answer?.requestId });
  const today = dayIn('UTC', Date.now());
  const period = { first: addDays(today, -1), last: addDays(today, 1), zone: 'UTC' };
  const usage = await core.client.usage.get({ billingAccount: 'sandbox', groupBy: 'model', period });
  expect(usage.totals).toMatchObject({ requests: 1, cost_usd: answer?.costUsd });
});

test('each model is listed once; sandbox models are available and the others need a key', async () => {
  const core = await start();
  const { models, problem } = await core.client.models.list();
  expect(problem).toBeNull();
  expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
  expect(models.find(({ id }) => id === 'sandbox/tour')?.status).toBe('available');
  expect(models.find(({ provider }) => provider === 'openai')?.status).toBe('no_credential');
  expect(models.find(({ id }) => id === 'router')?.status).toBe('available');
});

test('connecting a gateway verifies the key first, switches to it, and can be undone', async () => {
  const remote = await openRemoteGateway();
  const core = await start();
  const { client } = core;
  const wrong = client.gatewayAccounts.add({ baseUrl: remote.url, key: 'sk-portico-wrong' });
  await expect(wrong).rejects.toMatchObject({ code: 'invalid_api_key' });
  expect((await client.gateway.get()).mode).toBe('embedded');

  const connected = await client.gatewayAccounts.add({ baseUrl: `${remote.url}/v1`, key: remote.key });
  expect(connected).toMatchObject({ name: 'Team', storage: 'keychain' });
  expect(await client.gateway.get()).toMatchObject({ mode: 'remote', status: { state: 'ok' } });
  expect(JSON.stringify(connected)).not.toContain(remote.key);
  expect(await client.account.wallets()).toMatchObject([{ id: 'main', name: 'Team', simulated: false }]);
  // The account has no credits, so this refusal comes from the remote gateway.
  expect(await askedAndAnswered(core, 'sandbox/echo')).toMatchObject({
    status: 'error',
    error: { code: 'insufficient_credits' },
  });

  await core.core.close();
  const again = await start({ dataFolder: core.dataFolder, openSecrets: async () => memorySecrets() });
  expect(await again.client.gateway.get()).toMatchObject({ mode: 'remote', status: { state: 'refused' } });
  await again.client.gatewayAccounts.use({ id: null });
  expect(await again.client.gateway.get()).toMatchObject({ mode: 'embedded', status: { state: 'ok' } });
});

test('a gateway key with only the chat scope can chat, and reading balance or usage fails with a clear error', async () => {
  const remote = await openRemoteGateway({});
  const core = await start();
  const { client } = core;
  await client.gatewayAccounts.add({ baseUrl: remote.url, key: remote.key });
  expect(await client.gateway.get()).toMatchObject({ mode: 'remote', status: { state: 'ok' } });
  expect((await client.models.list()).problem).toBeNull();
  // The gateway accepted the request; only the account has no credits.
  const answer = await askedAndAnswered(core, 'sandbox/echo');
  expect(answer).toMatchObject({ status: 'error', error: { code: 'insufficient_credits' } });
  // The account is known although its balance isn't. An unknown balance is null, not zero.
  expect(await client.account.wallets()).toMatchObject([{ id: 'main', name: 'Team', balance: null }]);
  expect(await client.models.payer({ model: 'sandbox/echo' })).toEqual({ billingAccount: 'main', ownKey: null });
  expect(await client.account.get({ billingAccount: 'main' })).toMatchObject({
    name: 'Team',
    balance: null,
    usage: null,
    credential: { scopes: ['chat', 'models'] },
  });
  const period = { first: '2026-11-01', last: '2026-11-30', zone: 'UTC' };
  const usage = () => client.usage.get({ billingAccount: 'main', groupBy: 'model', period });
  for (const read of [() => client.credits.get({ billingAccount: 'main' }), usage]) {
    await expect(read()).rejects.toMatchObject({
      code: 'insufficient_scope',
      message: expect.stringContaining('the scope "account"'),
    });
  }
});

test('a key is sent only over https or to this machine', async () => {
  const { client } = await start();
  for (const baseUrl of ['http://gateway.example', 'http://127.0.0.1.example', 'https://u:p@gateway.example']) {
    const refused = client.gatewayAccounts.add({ baseUrl, key: 'sk-portico-canary' });
    await expect(refused).rejects.toMatchObject({ code: 'invalid_input', data: { details: { param: 'baseUrl' } } });
  }
  const nobody = client.gatewayAccounts.add({ baseUrl: 'http://127.0.0.1:9', key: 'sk-portico-canary' });
  await expect(nobody).rejects.toMatchObject({ code: 'gateway_unreachable' });
});

test('restoring a backup restores the gateway accounts with their keys, and none if it had none', async () => {
  const [mine, other] = [await openRemoteGateway(), await openRemoteGateway()];
  const { client } = await start();
  const { backups: without } = await client.backup.make();
  await client.gatewayAccounts.add({ baseUrl: mine.url, key: mine.key });
  const { backups } = await client.backup.make();
  await client.gatewayAccounts.add({ baseUrl: other.url, key: other.key });
  await client.backup.restore({ name: backups[0]?.name ?? '' });
  const { accounts } = await client.gatewayAccounts.list();
  expect(accounts.map(({ baseUrl }) => baseUrl)).toEqual([mine.url]);
  expect(await client.gateway.get()).toMatchObject({ mode: 'remote', status: { state: 'ok' } });
  await client.backup.restore({ name: without[0]?.name ?? '' });
  expect(await client.gateway.get()).toMatchObject({ mode: 'embedded', status: { state: 'ok' } });
});

test('the last known models are listed with the problem while the gateway does not answer', async () => {
  let reachable = true;
  const send: typeof fetch = (input, init) => (reachable ? fetch(input, init) : Promise.reject(new TypeError('down')));
  const remote = await openRemoteGateway();
  const { client } = await start({ fetch: send });
  await client.gatewayAccounts.add({ baseUrl: remote.url, key: remote.key });
  const before = await client.models.list();
  reachable = false;
  const after = await client.models.list();
  expect(after).toMatchObject({
    fetchedAt: before.fetchedAt,
    problem: { message: expect.stringContaining('did not answer'), refusal: { name: 'gatewaySilent' } },
  });
  expect(after.models).toEqual(before.models);
});

test('the cached model list is shown when the gateway is slow', async () => {
  let release = () => {};
  let gate: Promise<void> | null = null;
  const send: typeof fetch = async (input, init) => {
    if (String(input).endsWith('/v1/models')) await gate;
    return fetch(input, init);
  };
  const remote = await openRemoteGateway();
  const { client } = await start({ fetch: send });
  await client.gatewayAccounts.add({ baseUrl: remote.url, key: remote.key });
  const before = await client.models.list();
  gate = new Promise((resolve) => {
    release = resolve;
  });
  const begin = performance.now();
  expect(await client.models.list()).toEqual(before);
  expect(performance.now() - begin).toBeLessThan(4000);
  release();
});

test('the gateway listens for other programs on loopback, and a port in use is reported and can be changed', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());
  const address = taken.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const { client } = await start({ listen });
  const refused = await client.gateway.listen({ enabled: true, port });
  const used = { name: 'portInUse', values: { port } };
  expect(refused.local).toMatchObject({
    url: null,
    problem: { message: expect.stringContaining(`Port ${port}`), refusal: used },
  });
  taken.close();
  const { local } = await client.gateway.listen({ enabled: true, port });
  expect(local).toMatchObject({ url: `http://127.0.0.1:${port}`, problem: null });
  expect((await fetch(`${local.url}/v1/models`)).status).toBe(401);
  expect((await client.gateway.listen({ enabled: false, port })).local.url).toBeNull();
  await expect(fetch(`${local.url}/v1/models`)).rejects.toThrow();
});

test('a model without a key names the missing provider key before and after sending', async () => {
  const core = await start();
  await core.client.models.list();
  const sentence = 'There is no key for OpenAI, so GPT-5 cannot answer.';
  const quote = await core.client.quotes.get({
    conversationId: null,
    text: 'Hello?',
    attachments: [],
    model: 'openai/gpt-5',
  });
  const noKey = { name: 'noKeyFor', values: { model: 'GPT-5', provider: 'OpenAI' } };
  expect(quote.obstacles).toEqual([{ code: 'no_eligible_model', message: sentence, refusal: noKey }]);
  expect((await askedAndAnswered(core, 'openai/gpt-5'))?.error).toMatchObject({
    code: 'no_eligible_model',
    message: sentence,
  });
});

test("requests of other programs don't make the user’s own servers fetch anything", async () => {
  const { sent, origin } = await openOwnServers();
  const { client } = await start({ listen });
  for (const id of ['ollama', 'lmstudio', 'vllm', 'openai-compatible'] as const) {
    await client.providers.setKey({ id, baseUrl: `${origin}/${id}` });
  }
  const { local } = await client.gateway.listen({ enabled: true, port: await freePort() });
  const { key } = await client.apiKeys.create({
    account: 'main',
    name: 'A program',
    scopes: ['chat' as const],
    limitUsd: null,
    expiresAt: null,
  });
  const ask = (body: unknown) =>
    fetch(`${local.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  for (const id of ['ollama', 'lmstudio', 'vllm', 'openai-compatible']) {
    await eventually(async () => expect((await ask(completion(getModel(id)))).status).toBe(200));
    for (const url of ['http://169.254.169.254/latest/', 'https://127.0.0.1/x', 'https://localhost/x']) {
      expect((await ask(completion(getModel(id), url))).status).toBe(400);
    }
  }
  for (const body of sent()) expect(body).not.toMatch(/image_url|https?:/);
});
