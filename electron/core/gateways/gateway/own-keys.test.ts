import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { allScopes } from '#gateway/access/auth/scopes.ts';
import { Secret } from '#gateway/access/auth/secret.ts';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import type { Caps } from '#shared/contract/chat/caps.ts';
import { parseUsd } from '#shared/money.ts';
import { askedAndAnswered } from '../../../../tests/support/asked-and-answered.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { memorySecrets } from '../../../../tests/support/memory-secrets.ts';
import { startUpstream } from '../../../../tests/support/upstream.ts';
import { openDb } from '../../storage/database/db.ts';
import { settingsStore } from '../../storage/settings/settings-store.ts';

const ownKey = 'sk-own-0123456789';
const model = 'openai/gpt-5.4-mini';

const noCaps: Caps = { message: null, conversation: null, day: null, month: null, models: {} };

/**
 * Opens a core with an OpenAI key and an account at a gateway whose OpenAI is a mock. `asked` lists the keys that the
 * mock received.
 */
async function coreWithBoth(confirm?: () => Promise<boolean>) {
  const upstream = await startUpstream();
  const asked: string[] = [];
  const gateway = await openGateway({
    database: ':memory:',
    sandboxPace: 0,
    fetch(input, init) {
      if (init?.method === 'POST') asked.push(new Headers(init.headers).get('authorization') ?? '');
      return fetch(input, init);
    },
  });
  const { OPENAI_API_KEY = '', OPENAI_BASE_URL: baseUrl = '' } = upstream.env;
  gateway.setProvider('openai', { apiKey: new Secret(OPENAI_API_KEY), baseUrl });
  const door = await listen(gateway, { port: 0 });
  onTestFinished(async () => {
    await door.close();
    await gateway.close();
    await upstream.stop();
  });
  const { id: accountId } = await gateway.operator.createAccount({ name: 'Team' });
  await gateway.operator.grant({ accountId, amount: parseUsd('5') });
  const { key } = await gateway.operator.createKey({ accountId, scopes: allScopes });
  const secrets = memorySecrets();
  const options = {
    openGateway,
    openSecrets: async () => secrets,
    // The check of the entered key goes to OpenAI's real address.
    fetch: ((input, init) =>
      String(input).startsWith('https://api.openai.com/')
        ? Promise.resolve(Response.json({ object: 'list', data: [] }))
        : fetch(input, init)) as typeof fetch,
    ...(confirm ? { confirm } : {}),
  };
  const core = await coreOfTest(options);
  await core.client.providers.setKey({ id: 'openai', key: ownKey });
  const { id } = await core.client.gatewayAccounts.add({ baseUrl: door.url, key });
  await core.client.models.list();
  return { core, client: core.client, id, asked, options };
}

test('own keys are not sent to a remote gateway until the person agrees, and then their provider bills them', async () => {
  const { core, client, id, asked, options } = await coreWithBoth();
  expect(await askedAndAnswered(core, model)).toMatchObject({ status: 'done', costSource: 'billed' });
  expect(asked).toEqual(['Bearer sk-upstream-openai-key']);
  expect(await client.models.payer({ model })).toEqual({ billingAccount: 'main', ownKey: null });

  await client.gatewayAccounts.setOwnKeys({ id, on: true });
  expect(core.questions.map(({ title }) => title)).toEqual(['Send your provider keys to this gateway?']);
  const before = (await client.account.wallets())[0]?.balance?.amount;
  expect(await client.models.payer({ model })).toEqual({ billingAccount: 'main', ownKey: 'OpenAI' });
  expect(await client.quotes.get({ conversationId: null, text: 'Hello?', attachments: [], model })).toMatchObject({
    byok: true,
  });
  expect(await askedAndAnswered(core, model)).toMatchObject({ status: 'done', costSource: 'byok' });
  expect(asked.at(-1)).toBe(`Bearer ${ownKey}`);
  expect((await client.account.wallets())[0]?.balance?.amount).toBe(before);
  // The gateway pays for models it chooses itself and for providers without an own key.
  expect(await client.models.payer({ model: 'router' })).toMatchObject({ ownKey: null });
  expect(await client.models.payer({ model: 'anthropic/claude-haiku-4-5' })).toMatchObject({ ownKey: null });
  expect(JSON.stringify(await client.gatewayAccounts.list())).not.toContain(ownKey);

  await core.core.close();
  const again = await coreOfTest({ ...options, dataFolder: core.dataFolder });
  expect(await again.client.models.payer({ model })).toEqual({ billingAccount: 'main', ownKey: 'OpenAI' });
  await again.client.gatewayAccounts.setOwnKeys({ id, on: false });
  expect(await again.client.models.payer({ model })).toEqual({ billingAccount: 'main', ownKey: null });
});

test('own keys are never sent without the person’s consent, neither by a page nor by a restored state that claims it', async () => {
  const { core, client, id, asked, options } = await coreWithBoth(async () => false);
  await expect(client.gatewayAccounts.setOwnKeys({ id, on: true })).rejects.toMatchObject({ code: 'not_confirmed' });
  await core.core.close();
  const db = await openDb(join(core.dataFolder, 'portico.db'));
  const store = settingsStore(db);
  const text = JSON.stringify(await store.read('gateway.accounts'));
  expect(text).toContain('"ownKeys":false');
  await store.write('gateway.accounts', JSON.parse(text.replace('"ownKeys":false', '"ownKeys":true')));
  await db.destroy();
  const again = await coreOfTest({ ...options, dataFolder: core.dataFolder });
  expect((await again.client.gatewayAccounts.list()).accounts).toMatchObject([{ ownKeys: false }]);
  await askedAndAnswered(again, model);
  expect(asked).toEqual(['Bearer sk-upstream-openai-key']);
});

test('a message on an own key is quoted, limited and counted by what its provider bills', async () => {
  const { core, client, id } = await coreWithBoth();
  await client.gatewayAccounts.setOwnKeys({ id, on: true });
  const draft = { conversationId: null, text: 'Hello?', attachments: [], model };
  const quote = await client.quotes.get(draft);
  const [low, high] = [parseUsd(quote.costUsd?.low ?? '0'), parseUsd(quote.costUsd?.high ?? '0')];
  expect(quote.byok).toBe(true);
  expect(low).toBeGreaterThan(0n);
  expect(high).toBeGreaterThan(low);
  const parts = quote.parts.map(({ usd }) => parseUsd(usd));
  expect(parts.every((part) => part >= 0n)).toBe(true);
  expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(high);

  await client.caps.set({ ...noCaps, message: '0.0000001' });
  const send = { messageId: randomUUID(), text: 'Hello?', model };
  await expect(client.chat.send(send)).rejects.toMatchObject({ code: 'cap_exceeded' });
  await client.caps.set({ ...noCaps, day: '5', models: { [model]: '5' } });

  const { costUsd } = (await askedAndAnswered(core, model)) ?? {};
  expect(parseUsd(costUsd ?? '0')).toBeGreaterThan(0n);
  const { spentUsd, counts, meters } = await client.caps.get();
  expect({ spentUsd, counts }).toEqual({ spentUsd: { day: costUsd, month: costUsd }, counts: 'account' });
  expect(meters.map((meter) => meter.spentUsd)).toEqual([costUsd, costUsd]);
  // The gateway has charged nothing: what the provider bills is a sum of its own.
  const read = () => client.reconciliation.get({ billingAccount: 'main' });
  await expect.poll(async () => (await read()).part).toBeNull();
  expect(await read()).toMatchObject({
    differenceUsd: '0',
    openCount: 0,
    sums: { chatsUsd: costUsd, ownKeysUsd: costUsd, recordsUsd: '0' },
  });

  const today = new Date().toISOString().slice(0, 10);
  const period = { first: today, last: today, zone: 'UTC' };
  for (const groupBy of ['model', 'provider', 'provenance', 'key', 'conversation', 'status'] as const) {
    const { totals, groups } = await client.usage.get({ billingAccount: 'main', period, groupBy });
    expect([groupBy, totals.cost_usd]).toEqual([groupBy, costUsd]);
    expect(groups).toMatchObject([{ cost_usd: costUsd, share: 1 }]);
  }
  expect(await client.funds.budget({ billingAccount: 'main' })).toMatchObject({ spentUsd: costUsd });
});
