import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { allScopes } from '#gateway/auth/scopes.ts';
import { Secret } from '#gateway/auth/secret.ts';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { parseUsd } from '#shared/money.ts';
import { askedAndAnswered } from '../../../tests/support/asked-and-answered.ts';
import { coreOfTest } from '../../../tests/support/core-of-test.ts';
import { memorySecrets } from '../../../tests/support/memory-secrets.ts';
import { startUpstream } from '../../../tests/support/upstream.ts';
import { openDb } from '../db/db.ts';
import { settingsStore } from '../settings/settings-store.ts';

const ownKey = 'sk-own-0123456789';
const model = 'openai/gpt-5.4-mini';

/** A core with a key of OpenAI and an account at a gateway whose OpenAI is a mock; the keys that the mock was asked with. */
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
    // OpenAI itself takes the key that is entered.
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

test('own keys are idle behind a gateway elsewhere, until the person agrees; then the provider bills, and all say so', async () => {
  const { core, client, id, asked, options } = await coreWithBoth();
  expect(await askedAndAnswered(core, model)).toMatchObject({ status: 'done', costSource: 'billed' });
  expect(asked).toEqual(['Bearer sk-upstream-openai-key']);
  expect(await client.models.payer({ model })).toEqual({ wallet: 'main', ownKey: null });

  await client.gatewayAccounts.setOwnKeys({ id, on: true });
  expect(core.questions.map(({ title }) => title)).toEqual(['Send your provider keys to this gateway?']);
  const before = (await client.account.wallets())[0]?.balance?.amount;
  expect(await client.models.payer({ model })).toEqual({ wallet: 'main', ownKey: 'OpenAI' });
  expect(await client.quotes.get({ conversationId: null, text: 'Hello?', attachments: [], model })).toMatchObject({
    byok: true,
  });
  expect(await askedAndAnswered(core, model)).toMatchObject({ status: 'done', costSource: 'byok' });
  expect(asked.at(-1)).toBe(`Bearer ${ownKey}`);
  expect((await client.account.wallets())[0]?.balance?.amount).toBe(before);
  // What the gateway chooses, and models of providers without a key here, it pays.
  expect(await client.models.payer({ model: 'router' })).toMatchObject({ ownKey: null });
  expect(await client.models.payer({ model: 'anthropic/claude-haiku-4-5' })).toMatchObject({ ownKey: null });
  expect(JSON.stringify(await client.gatewayAccounts.list())).not.toContain(ownKey);

  await core.core.close();
  const again = await coreOfTest({ ...options, dataFolder: core.dataFolder });
  expect(await again.client.models.payer({ model })).toEqual({ wallet: 'main', ownKey: 'OpenAI' });
  await again.client.gatewayAccounts.setOwnKeys({ id, on: false });
  expect(await again.client.models.payer({ model })).toEqual({ wallet: 'main', ownKey: null });
});

test('a page alone cannot have keys sent anywhere: nothing is without the person’s yes, nor by a state that says it was given', async () => {
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
