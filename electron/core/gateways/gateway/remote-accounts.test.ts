import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { allScopes } from '#gateway/access/auth/scopes.ts';
import { Secret } from '#gateway/access/auth/secret.ts';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { parseUsd } from '#shared/money.ts';
import type { Scope } from '#shared/wire/account.ts';
import { askedAndAnswered } from '../../../../tests/support/asked-and-answered.ts';
import { coreOfTest, type TestCoreOptions } from '../../../../tests/support/core-of-test.ts';
import { memorySecrets } from '../../../../tests/support/memory-secrets.ts';
import { openPricedUpstream, pricedModel } from '../../../../tests/support/priced-upstream.ts';
import { openDb } from '../../storage/database/db.ts';
import { type SettingsStore, settingsStore } from '../../storage/settings/settings-store.ts';
import { renameSource } from './account-sources.ts';
import { readInstallation } from './installation.ts';

const start = (more: TestCoreOptions = {}) => coreOfTest({ openGateway, ...more });

/** A remote gateway whose accounts have credits. */
async function teamGateway() {
  const gateway = await openGateway({ database: ':memory:', sandboxPace: 0 });
  const door = await listen(gateway, { port: 0 });
  onTestFinished(async () => {
    await door.close();
    await gateway.close();
  });
  return {
    url: door.url,
    gateway,
    async account(name: string, amount: string, scopes: readonly Scope[] = allScopes) {
      const { id } = await gateway.operator.createAccount({ name });
      await gateway.operator.grant({ accountId: id, amount: parseUsd(amount) });
      return { accountId: id, key: (await gateway.operator.createKey({ accountId: id, scopes })).key };
    },
  };
}

test('several accounts are stored and one pays; switching shows its balance and never asks for a key again', async () => {
  const team = await teamGateway();
  const [ada, bob] = [await team.account('Ada', '3'), await team.account('Bob', '7')];
  const secrets = memorySecrets();
  const core = await start({ openSecrets: async () => secrets });
  const { client } = core;
  const first = await client.gatewayAccounts.add({ baseUrl: team.url, key: ada.key });
  const second = await client.gatewayAccounts.add({ name: 'Bob at work', baseUrl: `${team.url}/v1`, key: bob.key });
  expect([first, second]).toMatchObject([
    { name: 'Ada', kind: 'api_key', expiresAt: null, storage: 'keychain' },
    { name: 'Bob at work', baseUrl: `${team.url}/v1` },
  ]);
  const billingAccount = async () =>
    (await client.account.wallets()).map(({ name, balance }) => [name, balance?.amount]);
  expect(await billingAccount()).toEqual([['Bob at work', '7']]);
  const paid = await askedAndAnswered(core, 'sandbox/echo');
  expect(paid).toMatchObject({ status: 'done', costSource: 'billed' });

  await client.gatewayAccounts.use({ id: first.id });
  expect(await billingAccount()).toEqual([['Ada', '3']]);
  // The routing of an answer is looked up at the account that paid for it, even after a switch.
  expect(await client.chat.routing({ messageId: paid.id })).not.toBeNull();
  await client.gatewayAccounts.use({ id: null });
  expect((await billingAccount()).map(([name]) => name)).toEqual(['Your keys', 'Test credits']);

  await core.core.close();
  const again = await start({ dataFolder: core.dataFolder, openSecrets: async () => secrets });
  await again.client.gatewayAccounts.use({ id: second.id });
  expect((await again.client.account.wallets())[0]).toMatchObject({ name: 'Bob at work' });
  expect(JSON.stringify(await again.client.gatewayAccounts.list())).not.toMatch(ada.key);
  await again.client.gatewayAccounts.change({ id: second.id, name: 'Bob' });
  await again.client.gatewayAccounts.remove({ id: second.id });
  expect(await again.client.gatewayAccounts.list()).toMatchObject({ accounts: [{ name: 'Ada' }], active: null });
  expect([...secrets.items.values()]).not.toContain(bob.key);
  await expect(again.client.gatewayAccounts.use({ id: second.id })).rejects.toMatchObject({ code: 'not_found' });
});

test('a token connects an account like a key, shows when it expires, and can be replaced', async () => {
  const team = await teamGateway();
  const { accountId } = await team.account('Team', '1');
  const user = await team.gateway.operator.createUser({ accountId, name: 'Ada' });
  const issue = (lifetimeS: number) =>
    team.gateway.operator.issueToken({ userId: user.id, scopes: allScopes, lifetimeS });
  const { client } = await start();
  const before = Date.now();
  const { token, id } = await issue(600);
  const account = await client.gatewayAccounts.add({ baseUrl: team.url, key: token });
  expect(account).toMatchObject({ name: 'Team', kind: 'jwt', keyHint: null });
  expect(account.expiresAt).toBeGreaterThan(before + 590_000);
  expect(account.expiresAt).toBeLessThan(Date.now() + 610_000);
  await team.gateway.operator.revokeTokens(id);
  await expect(client.account.wallets()).rejects.toMatchObject({ code: 'invalid_token' });
  const renewed = await client.gatewayAccounts.change({ id: account.id, key: (await issue(3600)).token });
  expect(renewed.expiresAt).toBeGreaterThan(before + 3_590_000);
  expect(await client.account.wallets()).toMatchObject([{ name: 'Team' }]);
  const wrong = client.gatewayAccounts.change({ id: account.id, key: 'sk-portico-wrong' });
  await expect(wrong).rejects.toMatchObject({ code: 'invalid_api_key' });
  expect(await client.account.wallets()).toMatchObject([{ name: 'Team' }]);
});

/** Edits the stored settings of a closed core. */
async function editSettings(dataFolder: string, change: (store: SettingsStore) => Promise<void>) {
  const db = await openDb(join(dataFolder, 'portico.db'));
  await change(settingsStore(db));
  await db.destroy();
}

test('the single remote connection of an earlier version becomes an account and keeps its key', async () => {
  const team = await teamGateway();
  const { key } = await team.account('Team', '1');
  const secrets = memorySecrets();
  const older = await start({ openSecrets: async () => secrets });
  await older.client.account.wallets();
  const [profile] = [...secrets.items.keys()][0]?.split('/') ?? [];
  await older.core.close();
  const connection = { baseUrl: team.url, keyHint: 'sk-…', storage: 'keychain' };
  await editSettings(older.dataFolder, (store) => store.write('gateway.remote', connection));
  secrets.items.set(`${profile}/gateway/remote`, key);
  for (const _ of ['taken over', 'kept']) {
    const core = await start({ dataFolder: older.dataFolder, openSecrets: async () => secrets });
    expect(await core.client.gateway.get()).toMatchObject({ mode: 'remote', status: { state: 'ok' } });
    await core.core.close();
  }
});

test('a key is not sent to another address when the stored account names one', async () => {
  const [mine, other] = [await teamGateway(), await teamGateway()];
  const { key } = await mine.account('Ada', '1');
  const secrets = memorySecrets();
  const core = await start({ openSecrets: async () => secrets });
  await core.client.gatewayAccounts.add({ baseUrl: mine.url, key });
  await core.core.close();
  await editSettings(core.dataFolder, async (store) => {
    const text = JSON.stringify(await store.read('gateway.accounts'));
    await store.write('gateway.accounts', JSON.parse(text.replaceAll(mine.url, other.url)));
  });
  const moved = await start({ dataFolder: core.dataFolder, openSecrets: async () => secrets });
  expect((await moved.client.gateway.get()).status).toMatchObject({
    state: 'refused',
    problem: { refusal: { name: 'gatewayKeyGone' } },
  });
});

test('a 51st account is refused without contacting its gateway', async () => {
  const team = await teamGateway();
  const { key } = await team.account('Ada', '1');
  const secrets = memorySecrets();
  const core = await start({ openSecrets: async () => secrets });
  await core.client.gatewayAccounts.add({ baseUrl: team.url, key });
  await core.core.close();
  await editSettings(core.dataFolder, async (store) => {
    const stored = (await store.read('gateway.accounts')) as { accounts: { id: string }[] };
    const accounts = Array.from({ length: 50 }, (_, index) => ({ ...stored.accounts[0], id: `account-${index}` }));
    await store.write('gateway.accounts', { accounts, active: null });
  });
  const { client } = await start({ dataFolder: core.dataFolder, openSecrets: async () => secrets });
  expect((await client.gatewayAccounts.list()).accounts).toHaveLength(50);
  const added = client.gatewayAccounts.add({ baseUrl: 'https://nobody.invalid', key });
  await expect(added).rejects.toMatchObject({ data: { refusal: { name: 'tooManyAccounts' } } });
});

const noCaps = { message: null, conversation: null, day: null, month: null, models: {} };

/** A gateway whose provider has prices. Simulated models wouldn't count as money spent. */
async function pricedTeam() {
  const upstream = await openPricedUpstream(() => ({ promptTokens: 1000, completionTokens: 100 }));
  const gateway = await openGateway({ database: ':memory:', sandboxPace: 0 });
  gateway.setProvider('openai', { apiKey: new Secret('sk-platform'), baseUrl: upstream.env.OPENAI_BASE_URL });
  const door = await listen(gateway, { port: 0 });
  onTestFinished(async () => {
    await door.close();
    await gateway.close();
    await upstream.close();
  });
  const createAccount = async (name: string) => {
    const { id } = await gateway.operator.createAccount({ name });
    await gateway.operator.grant({ accountId: id, amount: parseUsd('5') });
    const createKey = async (scopes: readonly Scope[] = allScopes) =>
      (await gateway.operator.createKey({ accountId: id, scopes })).key;
    return { id, createKey };
  };
  return { url: door.url, createAccount };
}

test('two accounts at one address stay separate when one is removed and the other is added', async () => {
  const team = await pricedTeam();
  const [ada, bob] = [await team.createAccount('Ada'), await team.createAccount('Bob')];
  const core = await start();
  const { client } = core;
  const first = await client.gatewayAccounts.add({ baseUrl: team.url, key: await ada.createKey() });
  await client.models.list();
  expect(await askedAndAnswered(core, pricedModel)).toMatchObject({ costUsd: '0.00021' });
  await client.gatewayAccounts.remove({ id: first.id });
  await client.gatewayAccounts.add({ baseUrl: team.url, key: await bob.createKey() });
  expect(await client.caps.get()).toMatchObject({ spentUsd: { day: '0.00021', month: '0.00021' }, counts: 'account' });
  const report = await client.reconciliation.get({ billingAccount: 'main' });
  expect(report).toMatchObject({ differenceUsd: '0' });
});

test('an account counts once when adding it again replaces its key', async () => {
  const team = await pricedTeam();
  const ada = await team.createAccount('Ada');
  const core = await start();
  const { client } = core;
  const first = await client.gatewayAccounts.add({ baseUrl: team.url, key: await ada.createKey(['chat', 'models']) });
  await client.models.list();
  await askedAndAnswered(core, pricedModel);
  const again = { baseUrl: `${team.url}/v1`, key: await ada.createKey() };
  await expect(client.gatewayAccounts.add(again)).rejects.toMatchObject({
    code: 'invalid_input',
    data: { refusal: { name: 'accountConnected', values: { name: 'Ada' } } },
  });
  expect(await client.gatewayAccounts.add({ ...again, replace: true })).toMatchObject({ id: first.id });
  expect((await client.gatewayAccounts.list()).accounts).toHaveLength(1);
  await client.caps.set({ ...noCaps, models: { [pricedModel]: '1' } });
  expect(await client.caps.get()).toMatchObject({
    spentUsd: { day: '0.00021', month: '0.00021' },
    counts: 'account',
    meters: [{ spentUsd: '0.00021' }],
  });
});

test('data stored under an address moves to the account once its gateway reports the account id', async () => {
  const team = await pricedTeam();
  const ada = await team.createAccount('Ada');
  const secrets = memorySecrets();
  const older = await start({ openSecrets: async () => secrets });
  await older.client.gatewayAccounts.add({ baseUrl: team.url, key: await ada.createKey() });
  await older.client.models.list();
  await askedAndAnswered(older, pricedModel);
  await older.client.funds.setBudget({ billingAccount: 'main', limitUsd: '7' });
  await older.core.close();
  const former = `${team.url}/main`;
  const db = await openDb(join(older.dataFolder, 'portico.db'));
  await renameSource(db, `${team.url}#${ada.id}`, former);
  const store = settingsStore(db);
  const stored = (await store.read('gateway.accounts')) as { accounts: Record<string, unknown>[] };
  const accounts = stored.accounts.map(({ accountId: _id, formerSources: _former, ...rest }) => ({
    ...rest,
    source: former,
  }));
  await store.write('gateway.accounts', { ...stored, accounts });
  await db.destroy();

  const { client } = await start({ dataFolder: older.dataFolder, openSecrets: async () => secrets });
  expect(await client.caps.get()).toMatchObject({ spentUsd: { day: '0.00021', month: '0.00021' }, counts: 'account' });
  expect(await client.funds.budget({ billingAccount: 'main' })).toMatchObject({ limitUsd: '7', spentUsd: '0.00021' });
  expect(await client.reconciliation.get({ billingAccount: 'main' })).toMatchObject({ differenceUsd: '0' });
  const other = await team.createAccount('Bob');
  await client.gatewayAccounts.add({ baseUrl: team.url, key: await other.createKey() });
  expect(await client.caps.get()).toMatchObject({ spentUsd: { day: '0.00021' }, counts: 'account' });
});

test('reconciliation counts another computer when a second installation uses the same key', async () => {
  const team = await pricedTeam();
  const ada = await team.createAccount('Ada');
  const key = await ada.createKey();
  const connect = async () => {
    const core = await start();
    await core.client.gatewayAccounts.add({ baseUrl: team.url, key });
    await core.client.models.list();
    return core;
  };
  const [desk, laptop] = [await connect(), await connect()];
  await askedAndAnswered(desk, pricedModel);
  await askedAndAnswered(laptop, pricedModel);
  const report = (core: typeof desk) => core.client.reconciliation.get({ billingAccount: 'main' });
  const both = { requests: 2, matched: 2, openCount: 0, differenceUsd: '0' };
  for (const core of [desk, laptop])
    expect(await report(core)).toMatchObject({ ...both, kinds: { chats: 1, otherComputers: 1, otherPrograms: 0 } });

  // A copy of the data folder is another installation; a restart in the same folder is not.
  await desk.core.close();
  const copy = mkdtempSync(join(tmpdir(), 'portico-copy-'));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(desk.dataFolder, copy, { recursive: true });
  const installations = [desk.dataFolder, desk.dataFolder, copy].map((folder) => readInstallation(folder, randomUUID));
  expect(installations[1]).toBe(installations[0]);
  expect(installations[2]).not.toBe(installations[0]);
});
