import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ProviderCredential } from '#gateway/providers/provider.ts';
import type { SavedServer } from '#shared/contract/app/providers.ts';
import { AppError } from '#shared/errors.ts';
import { askedAndAnswered } from '../../../../tests/support/asked-and-answered.ts';
import { coreOfTest, type TestCoreOptions } from '../../../../tests/support/core-of-test.ts';
import { fakeGateway } from '../../../../tests/support/fake-gateway.ts';
import { memorySecrets } from '../../../../tests/support/memory-secrets.ts';
import { sessionMemory } from '../../storage/secrets/session-memory.ts';

async function start(more: TestCoreOptions = {}) {
  const used = new Map<string, ProviderCredential | null>();
  const gateway = {
    ...fakeGateway(),
    setProvider(id: string, credential: ProviderCredential | null) {
      used.set(id, credential);
    },
  };
  const secrets = memorySecrets();
  const core = await coreOfTest({ openGateway: async () => gateway, openSecrets: async () => secrets, ...more });
  const { providers } = core.client;
  const shown = async (id: string) => (await providers.list()).find((candidate) => candidate.id === id);
  const keysInUse = (id: string) => {
    const credential = used.get(id);
    return (credential?.keys ?? []).map(({ label, secret }) => `${label} ${secret.reveal()}`);
  };
  return { ...core, providers, gateway, secrets, used, shown, keysInUse };
}

const today = new Date().toISOString().slice(0, 10);
const cellar: SavedServer = {
  id: null,
  name: 'In the Cellar',
  kind: 'openai-compatible',
  baseUrl: 'https://cellar.example/v1/',
  apiVersion: null,
  key: 'canary-key-of-cellar',
  headers: [{ name: 'X-Tenant', value: 'canary-tenant' }],
  models: [{ model: 'small', sameAs: null, input: '0.1', output: '0.2', cached: '0.05', pricedOn: null }],
  timeoutSeconds: 7_200,
};
const first = 'sk-canary-first-0123456789';
const second = 'sk-canary-second-0123456789';

test('an own server is registered with all its settings, survives a restart, and shows no secret', async () => {
  const core = await start();
  const saved = await core.providers.saveServer(cellar);
  expect(saved).toMatchObject({
    id: 'in-the-cellar',
    name: 'In the Cellar',
    state: 'works',
    baseUrl: 'https://cellar.example/v1',
    server: {
      kind: 'openai-compatible',
      apiVersion: null,
      models: [{ ...cellar.models[0], pricedOn: today }],
      headerNames: ['x-tenant'],
      timeoutSeconds: 7_200,
    },
  });
  const again = await core.providers.saveServer({ ...cellar, key: null, headers: [] });
  expect(again.id).toBe('in-the-cellar-2');
  expect(JSON.stringify([saved, await core.providers.list()])).not.toContain('canary');
  await core.core.close();
  const next = await start({ dataFolder: core.dataFolder, openSecrets: async () => core.secrets });
  await expect.poll(() => next.used.get('in-the-cellar')?.server?.name).toBe('In the Cellar');
  const credential = next.used.get('in-the-cellar');
  expect(credential?.apiKey?.reveal()).toBe('canary-key-of-cellar');
  expect(credential?.headers?.get('x-tenant')?.reveal()).toBe('canary-tenant');
  expect(credential?.timeoutMs).toBe(7_200_000);
  expect(credential?.models).toMatchObject([{ model: 'small', price: { input: '0.1', output: '0.2' } }]);
  expect(await next.providers.removeKey({ id: 'in-the-cellar' })).toBeNull();
  expect([next.used.get('in-the-cellar'), await next.shown('in-the-cellar')]).toEqual([null, undefined]);
  expect(core.secrets.items.size).toBe(0);
});

test('the 201st server is refused, and existing ones can still be changed', async () => {
  const { providers } = await start();
  const plain = { ...cellar, key: null, headers: [], models: [] };
  let refused: unknown = null;
  let saved = 0;
  while (refused === null && saved < 300) {
    await providers.saveServer(plain).then(
      () => (saved += 1),
      (error: unknown) => (refused = error),
    );
  }
  expect(saved).toBe(200);
  expect(refused).toMatchObject({ code: 'invalid_input' });
  expect(await providers.saveServer({ ...plain, id: 'in-the-cellar', name: 'Below' })).toMatchObject({ name: 'Below' });
});

test('an empty value keeps the stored secret when a server is changed, but only at the same address', async () => {
  const core = await start();
  const { id } = await core.providers.saveServer(cellar);
  const renamed = { ...cellar, id, name: 'Attic', key: null, headers: [{ name: 'x-tenant', value: '' }] };
  expect(await core.providers.saveServer(renamed)).toMatchObject({ id, name: 'Attic', keyHint: 'can…llar' });
  expect(core.used.get(id)?.headers?.get('x-tenant')?.reveal()).toBe('canary-tenant');
  const moved = core.providers.saveServer({ ...renamed, baseUrl: 'https://evil.example/v1' });
  await expect(moved).rejects.toMatchObject({ code: 'invalid_input', data: { details: { param: 'headers' } } });
  const forgotten = await core.providers.saveServer({ ...renamed, headers: [] });
  expect(forgotten.server?.headerNames).toEqual([]);
  expect([...core.secrets.items.values()]).toEqual(['canary-key-of-cellar']);
});

test.each([
  ['baseUrl', { baseUrl: 'http://192.168.1.5/v1' }],
  ['baseUrl', { baseUrl: 'http://192.168.1.5/v1', key: null }],
  ['baseUrl', { baseUrl: 'https://user:pass@cellar.example' }],
  ['headers', { headers: [{ name: 'Authorization', value: 'x' }] }],
  ['headers', { headers: [{ name: 'x-a', value: 'a\r\nhost: b' }] }],
  [
    'models',
    { models: [{ model: 'm', sameAs: 'openai/nothing', input: null, output: null, cached: null, pricedOn: null }] },
  ],
  ['models', { models: [{ model: 'm', sameAs: null, input: '1', output: null, cached: null, pricedOn: null }] }],
  ['models', { kind: 'azure-openai', models: [] }],
  ['key', { kind: 'azure-openai', key: null, headers: [] }],
  ['apiVersion', { apiVersion: '2024-10-21' }],
] as const)('an invalid server is not stored, and the error names the parameter %s', async (param, change) => {
  const core = await start();
  const saved = core.providers.saveServer({ ...cellar, ...(change as Partial<SavedServer>) });
  await expect(saved).rejects.toMatchObject({ code: 'invalid_input', data: { details: { param } } });
  expect([core.secrets.items.size, core.used.size > 0 ? core.used.get('in-the-cellar') : undefined]).toEqual([
    0,
    undefined,
  ]);
});

test('without a keychain, a server can be added, changed and removed for this session', async () => {
  const core = await start({ openSecrets: () => Promise.reject(new Error('DBus error')) });
  const { id, storage } = await core.providers.saveServer({ ...cellar, headers: [] });
  expect(storage).toBe('session');
  await core.providers.saveServer({ ...cellar, id });
  expect((await core.providers.saveServer({ ...cellar, id, headers: [] })).server?.headerNames).toEqual([]);
  await core.providers.addKey({ id, label: 'Spare', key: second });
  await core.providers.removeKey({ id, keyId: 'main' });
  expect(core.used.get(id)?.apiKey?.reveal()).toBe(second);
  expect(await core.providers.removeKey({ id })).toBeNull();
});

test('without a keychain, a server and its keys survive a restart of the core, but not the session', async () => {
  const openSecrets = () => Promise.reject(new Error('DBus error'));
  const session = sessionMemory();
  const core = await start({ openSecrets, session });
  const { id } = await core.providers.saveServer(cellar);
  const before = await core.providers.addKey({ id, label: 'Spare', key: second });
  await core.core.close();

  const next = await start({ openSecrets, session, dataFolder: core.dataFolder });
  expect(await next.shown(id)).toMatchObject({ storage: 'session', baseUrl: before.baseUrl, server: before.server });
  expect(next.keysInUse(id)).toEqual(core.keysInUse(id));
  expect(next.used.get(id)?.headers?.get('x-tenant')?.reveal()).toBe('canary-tenant');
  expect(await next.providers.removeKey({ id })).toBeNull();
  expect((await session.all()).filter(({ account }) => account.includes(id))).toEqual([]);
  await next.providers.saveServer(cellar);
  await next.core.close();

  const later = await start({ openSecrets, dataFolder: core.dataFolder });
  expect(await later.shown(id)).toBeUndefined();
});

test('a server that refuses its key is not stored', async () => {
  const core = await start();
  core.gateway.checkProvider = async () => {
    throw new AppError('upstream_auth_failed', 'no');
  };
  await expect(core.providers.saveServer(cellar)).rejects.toMatchObject({ code: 'upstream_auth_failed' });
  expect([core.secrets.items.size, await core.shown('in-the-cellar')]).toEqual([0, undefined]);
});

test('additional keys are tried in the order the user sets, even after a restart', async () => {
  const core = await start();
  await core.providers.setKey({ id: 'openai', key: first });
  const added = await core.providers.addKey({ id: 'openai', label: 'Spare', key: second });
  expect(added.keys.map(({ label, hint, storage }) => [label, hint, storage])).toEqual([
    ['Key 1', 'sk-…6789', 'keychain'],
    ['Spare', 'sk-…6789', 'keychain'],
  ]);
  expect(core.keysInUse('openai')).toEqual([`Key 1 ${first}`, `Spare ${second}`]);
  const keyIds = added.keys.map(({ id }) => id).toReversed();
  await core.providers.orderKeys({ id: 'openai', keyIds });
  await expect(core.providers.orderKeys({ id: 'openai', keyIds: ['main'] })).rejects.toThrow('Name each key once');
  await core.core.close();
  const next = await start({ dataFolder: core.dataFolder, openSecrets: async () => core.secrets });
  await expect.poll(() => next.keysInUse('openai')).toEqual([`Spare ${second}`, `Key 1 ${first}`]);
  expect(next.used.get('openai')?.apiKey?.reveal()).toBe(second);
  const moved = next.providers.setKey({ id: 'openai', key: first, baseUrl: 'https://evil.example/v1' });
  await expect(moved).rejects.toMatchObject({ data: { details: { param: 'baseUrl' } } });
});

test('removing a key deletes it from the keychain, and the next key replaces a removed main key', async () => {
  const core = await start();
  await core.providers.setKey({ id: 'openai', key: first });
  await core.providers.addKey({ id: 'openai', label: 'Spare', key: second });
  const left = await core.providers.removeKey({ id: 'openai', keyId: 'main' });
  expect(left).toMatchObject({ state: 'works', keys: [{ id: 'main', label: 'Spare' }] });
  expect([...core.secrets.items.values()]).toEqual([second]);
  expect(core.used.get('openai')?.apiKey?.reveal()).toBe(second);
  await core.providers.addKey({ id: 'openai', label: 'Other', key: first });
  const { keys } = (await core.shown('openai')) ?? { keys: [] };
  await core.providers.removeKey({ id: 'openai', keyId: keys[1]?.id ?? '' });
  expect([...core.secrets.items.values()]).toEqual([second]);
  await core.providers.addKey({ id: 'openai', label: 'Other', key: first });
  expect(await core.providers.removeKey({ id: 'openai' })).toMatchObject({ state: 'not_set', keys: [] });
  expect(core.secrets.items.size).toBe(0);
});

test('the main key is not removed when no other key can be read to replace it', async () => {
  const core = await start();
  await core.providers.setKey({ id: 'openai', key: first });
  const { keys } = await core.providers.addKey({ id: 'openai', label: 'Spare', key: second });
  await core.core.close();
  const { secrets } = core;
  const unread = {
    ...secrets,
    get: async (name: string) => (name.includes(keys[1]?.id ?? '') ? null : secrets.get(name)),
  };
  const next = await start({ dataFolder: core.dataFolder, openSecrets: async () => unread });
  await expect.poll(() => next.used.get('openai')?.apiKey?.reveal()).toBe(first);
  const removed = next.providers.removeKey({ id: 'openai', keyId: 'main' });
  await expect(removed).rejects.toMatchObject({ data: { refusal: { name: 'otherKeysUnread' } } });
  expect(secrets.items.size).toBe(2);
});

test('an additional key is not stored if it is refused, is a duplicate, or has the label of another key', async () => {
  const core = await start();
  const add = (label: string, key: string) => core.providers.addKey({ id: 'openai', label, key });
  await expect(add('Spare', second)).rejects.toMatchObject({ code: 'not_found' });
  await core.providers.setKey({ id: 'openai', key: first });
  await expect(add('Spare', first)).rejects.toMatchObject({ data: { details: { param: 'key' } } });
  await expect(add('Key 1', second)).rejects.toMatchObject({ data: { details: { param: 'label' } } });
  core.gateway.checkProvider = async () => {
    throw new AppError('upstream_auth_failed', 'no');
  };
  await expect(add('Spare', second)).rejects.toMatchObject({ code: 'upstream_auth_failed' });
  expect([...core.secrets.items.values()]).toEqual([first]);
});

test('the key state that the gateway found in use is shown', async () => {
  const core = await start();
  await core.providers.setKey({ id: 'openai', key: first });
  await core.providers.addKey({ id: 'openai', label: 'Spare', key: second });
  core.gateway.keyStates = () => [
    { label: 'Key 1', ends: '6789', state: 'rate_limited', until: 1 },
    { label: 'Spare', ends: '6789', state: 'ready', until: null },
  ];
  expect((await core.shown('openai'))?.keys.map(({ state }) => state)).toEqual(['rate_limited', 'works']);
});

test('no file of the data folder contains an additional key or a header value', async () => {
  const core = await start();
  await core.providers.saveServer(cellar);
  await core.providers.setKey({ id: 'openai', key: first });
  await core.providers.addKey({ id: 'openai', label: 'Spare', key: second });
  const files = readdirSync(core.dataFolder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(core.dataFolder, name))
    .filter((path) => statSync(path).isFile());
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) expect(readFileSync(file).includes('canary'), file).toBe(false);
});

test('messages about a server contain the name that the user gave it, even after a rename', async () => {
  const core = await coreOfTest();
  const { providers } = core.client;
  const { id } = await providers.saveServer(cellar);
  const upstreamError = {
    param: null,
    type: 'upstream_error',
    code: 'upstream_error',
    status_code: 502,
    retryable: true,
    request_id: 'req_x',
  };
  core.gateway.script = async function* () {
    yield JSON.stringify({ error: { ...upstreamError, provider: id, message: `${id} does not know this model.` } });
  };
  const failed = async () => (await askedAndAnswered(core, 'openai/gpt')).error;
  expect(await failed()).toMatchObject({ message: 'In the Cellar does not know this model.', provider: id });
  await providers.saveServer({ ...cellar, id, name: 'The $& attic', key: null });
  expect(await failed()).toMatchObject({ message: 'The $& attic does not know this model.', provider: id });
  core.gateway.checkProvider = async () => {
    throw new AppError('upstream_unreachable', `${id} could not be reached.`, { provider: id });
  };
  expect(await providers.check({ id })).toMatchObject({
    state: 'unreachable',
    problem: { message: 'The $& attic could not be reached.' },
  });
});
