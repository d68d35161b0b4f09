import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { coreOfTest, type TestCoreOptions } from '../../../../tests/support/core-of-test.ts';
import { fakeGateway } from '../../../../tests/support/fake-gateway.ts';
import { memorySecrets } from '../../../../tests/support/memory-secrets.ts';
import type { SecretStore } from '../../storage/secrets/keychain.ts';

const key = 'sk-canary-0123456789';

async function start(more: TestCoreOptions = {}) {
  const used: string[] = [];
  const gateway = {
    ...fakeGateway(),
    setProvider(id: string, credential: { apiKey: { reveal(): string } | null; baseUrl: string } | null) {
      used.push(`${id} ${credential ? `${credential.apiKey?.reveal() ?? 'no key'} ${credential.baseUrl}` : 'off'}`);
    },
  };
  const secrets = memorySecrets();
  const core = await coreOfTest({ openGateway: async () => gateway, openSecrets: async () => secrets, ...more });
  return { ...core, gateway, secrets, used };
}
const openai = async ({ client }: Awaited<ReturnType<typeof start>>) => (await client.providers.list())[0];

test('a working key is stored in the keychain and used, and only its ends are shown', async () => {
  const core = await start();
  const set = await core.client.providers.setKey({ id: 'openai', key });
  expect(set).toMatchObject({ state: 'works', keyHint: 'sk-…6789', storage: 'keychain' });
  expect([...core.secrets.items.values()]).toEqual([key]);
  expect(core.used).toEqual([`openai ${key} https://api.openai.com/v1`]);
  expect(JSON.stringify([set, await core.client.providers.list()])).not.toContain('canary');
});

test('a refused key is not stored anywhere', async () => {
  const core = await start();
  core.gateway.checkProvider = async () => {
    throw new AppError('upstream_auth_failed', 'Incorrect API key provided.');
  };
  const refused = core.client.providers.setKey({ id: 'openai', key });
  await expect(refused).rejects.toMatchObject({ code: 'upstream_auth_failed', message: 'Incorrect API key provided.' });
  expect([core.secrets.items.size, core.used.length, (await openai(core))?.state]).toEqual([0, 0, 'not_set']);
});

test('an input that breaks a contract rule names the rule, so that it can be translated', async () => {
  const core = await start();
  const spaced = core.client.providers.setKey({ id: 'openai', key: 'a key with spaces' });
  await expect(spaced).rejects.toMatchObject({
    message: 'key: a key has no spaces and only plain characters.',
    data: { refusal: { name: 'inputRefused', values: { field: 'key', rule: 'key' } } },
  });
  const short = core.client.providers.setKey({ id: 'openai', key: 'short' });
  await expect(short).rejects.toMatchObject({ data: { refusal: { values: { field: 'key', rule: 'tooSmall' } } } });
});

test('a key is stored and marked when its provider cannot be reached', async () => {
  const core = await start();
  core.gateway.checkProvider = async () => {
    throw new AppError('upstream_unreachable', 'OpenAI could not be reached.');
  };
  const set = await core.client.providers.setKey({ id: 'openai', key });
  expect(set).toMatchObject({
    state: 'unreachable',
    problem: { message: 'OpenAI could not be reached.' },
    storage: 'keychain',
  });
  core.gateway.checkProvider = async () => {};
  expect(await core.client.providers.check({ id: 'openai' })).toMatchObject({ state: 'works', problem: null });
});

test('a key stays unchecked when its provider answers with a rate limit', async () => {
  const core = await start();
  core.gateway.checkProvider = async () => {
    throw new AppError('upstream_rate_limited', 'OpenAI is limiting the rate of requests.');
  };
  const set = await core.client.providers.setKey({ id: 'openai', key });
  expect(set).toMatchObject({ state: 'unchecked', problem: { message: 'OpenAI is limiting the rate of requests.' } });
});

test('a stored key is never sent to an address it was not entered for', async () => {
  const core = await start();
  await core.client.providers.setKey({ id: 'openai', key });
  const moved = core.client.providers.setKey({ id: 'openai', baseUrl: 'https://evil.example/v1' });
  await expect(moved).rejects.toMatchObject({ code: 'invalid_input', data: { details: { param: 'key' } } });
  const plain = core.client.providers.setKey({ id: 'openai', key, baseUrl: 'http://evil.example/v1' });
  await expect(plain).rejects.toMatchObject({ code: 'invalid_input', data: { details: { param: 'baseUrl' } } });
  const same = await core.client.providers.setKey({ id: 'openai', baseUrl: 'https://api.openai.com/v2' });
  expect(same).toMatchObject({ state: 'works', baseUrl: 'https://api.openai.com/v2', keyHint: 'sk-…6789' });
});

test('an own server needs an address and no key', async () => {
  const core = await start();
  const nowhere = core.client.providers.setKey({ id: 'openai-compatible' });
  await expect(nowhere).rejects.toMatchObject({ data: { refusal: { name: 'serverAddressNeeded' } } });
  const set = await core.client.providers.setKey({ id: 'openai-compatible', baseUrl: 'http://192.168.1.5:11434/v1/' });
  expect(set).toMatchObject({ state: 'works', storage: null, keyHint: null, baseUrl: 'http://192.168.1.5:11434/v1' });
  expect(core.used).toEqual(['openai-compatible no key http://192.168.1.5:11434/v1']);
});

test('an own server from the environment is used unless its address is not allowed', async () => {
  const env = { OLLAMA_BASE_URL: 'http://192.168.1.5:11434/v1', VLLM_BASE_URL: 'http://llm.example/v1' };
  const core = await start({ env });
  await expect
    .poll(() => core.used.filter((line) => !line.endsWith(' off')))
    .toEqual(['ollama no key http://192.168.1.5:11434/v1']);
  const states = (await core.client.providers.list()).map(({ id, state }) => `${id} ${state}`);
  expect(states).toEqual(expect.arrayContaining(['ollama unchecked', 'vllm refused']));
});

test('a server on another machine never gets a key over plain http, whether entered, stored or from the environment', async () => {
  const env = { VLLM_BASE_URL: 'http://192.168.1.5:8000/v1', VLLM_API_KEY: 'environment-key' };
  const core = await start({ env });
  const entered = core.client.providers.setKey({ id: 'ollama', key, baseUrl: 'http://192.168.1.5:11434/v1' });
  await expect(entered).rejects.toMatchObject({ code: 'invalid_input', data: { details: { param: 'baseUrl' } } });
  const vllm = (await core.client.providers.list()).find(({ id }) => id === 'vllm');
  expect(vllm).toMatchObject({
    state: 'refused',
    problem: { message: expect.stringContaining('there is a key for it') },
  });
  await core.client.providers.setKey({ id: 'ollama', key, baseUrl: 'https://192.168.1.5/v1' });
  const { dataFolder, secrets } = core;
  await core.core.close();
  const db = new Sqlite(join(dataFolder, 'portico.db'));
  db.exec("update providers set base_url = 'http://192.168.1.5:11434/v1' where id = 'ollama'");
  db.close();
  const next = await start({ dataFolder, openSecrets: async () => secrets });
  const reloaded = (await next.client.providers.list()).find(({ id }) => id === 'ollama');
  expect(reloaded).toMatchObject({
    state: 'refused',
    problem: { message: expect.stringContaining('not sent to this address') },
  });
  expect(await next.client.providers.check({ id: 'ollama' })).toMatchObject({ state: 'unreachable' });
  expect(next.used.filter((line) => line.includes(key))).toEqual([]);
});

test('a key is not sent to another address after a restore that names one', async () => {
  const core = await start();
  await core.client.providers.setKey({ id: 'vllm', key, baseUrl: 'https://old.example/v1' });
  const { backups } = await core.client.backup.make();
  const next = 'canary-of-the-new-server';
  await core.client.providers.setKey({ id: 'vllm', key: next, baseUrl: 'https://new.example/v1' });
  await core.client.backup.restore({ name: backups[0]?.name ?? '' });
  const vllm = (await core.client.providers.list()).find(({ id }) => id === 'vllm');
  expect(vllm).toMatchObject({ baseUrl: 'https://old.example/v1', state: 'refused' });
  expect(core.used.at(-1)).toBe('vllm off');
  expect([...core.secrets.items.values()]).not.toContain(next);
});

test('servers on this machine are searched on request, with the fetch of the host', async () => {
  const asked: string[] = [];
  const core = await start({
    fetch: async (input) => {
      asked.push(String(input));
      const path = new URL(String(input)).pathname;
      if (!String(input).includes(':11434/')) throw new TypeError('nobody there');
      if (path === '/v1/models') return Response.json({ data: [{ id: 'llama3:8b' }] });
      return path === '/api/version' ? Response.json({ version: '1' }) : new Response(null, { status: 404 });
    },
  });
  expect(asked).toEqual([]);
  expect(await core.client.providers.discover()).toEqual([
    { id: 'ollama', name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', models: ['llama3:8b'] },
  ]);
  expect(new Set(asked.map((url) => new URL(url).hostname))).toEqual(new Set(['127.0.0.1']));
});

test('keys are loaded after a restart, except for a removed one', async () => {
  const core = await start();
  await core.client.providers.setKey({ id: 'openai', key });
  await core.core.close();
  const openSecrets = async () => core.secrets;
  const next = await start({ dataFolder: core.dataFolder, openSecrets });
  await expect.poll(() => next.used).toEqual([`openai ${key} https://api.openai.com/v1`]);
  expect(await next.client.providers.removeKey({ id: 'openai' })).toMatchObject({ state: 'not_set' });
  expect([core.secrets.items.size, next.used.at(-1)]).toEqual([0, 'openai off']);
});

test('an entered key is used for the address from the environment', async () => {
  const core = await start({ env: { OPENAI_BASE_URL: 'http://127.0.0.1:4010/v1' } });
  const entered = await core.client.providers.setKey({ id: 'openai', key: 'sk-entered-0000' });
  expect(entered).toMatchObject({ baseUrl: 'http://127.0.0.1:4010/v1', state: 'works' });
});

test('a key from the environment is used until the user sets one, and again after that one is removed', async () => {
  const env = { OPENAI_API_KEY: 'sk-environment-0000', OPENAI_BASE_URL: 'http://127.0.0.1:4010/v1' };
  const core = await start({ env });
  await expect.poll(() => openai(core)).toMatchObject({ storage: 'environment', state: 'unchecked' });
  expect(core.used).toEqual(['openai sk-environment-0000 http://127.0.0.1:4010/v1']);
  await core.client.providers.setKey({ id: 'openai', key, baseUrl: 'https://api.openai.com/v1' });
  expect(await core.client.providers.removeKey({ id: 'openai' })).toMatchObject({ storage: 'environment' });
  expect(await core.client.providers.removeKey({ id: 'openai' })).toMatchObject({ state: 'not_set' });
  expect(core.secrets.items.size).toBe(0);
});

test('a keychain that is locked at the next start loses nothing and is not overwritten', async () => {
  const core = await start();
  await core.client.providers.setKey({ id: 'openai', key });
  await core.core.close();
  let locked = true;
  const lockable: SecretStore = {
    async get(account) {
      if (locked) throw new Error('Secret Service: unlock prompt was dismissed');
      return core.secrets.get(account);
    },
    async set() {
      throw new Error('Secret Service: unlock prompt was dismissed');
    },
    async remove() {
      throw new Error('Secret Service: unlock prompt was dismissed');
    },
  };
  const next = await start({ dataFolder: core.dataFolder, openSecrets: async () => lockable });
  await expect
    .poll(() => openai(next))
    .toMatchObject({ keyHint: 'sk-…6789', problem: { message: expect.stringMatching(/locked/) } });
  expect((await next.client.app.info()).keychain.state).toBe('locked');
  const removed = next.client.providers.removeKey({ id: 'openai' });
  await expect(removed).rejects.toMatchObject({ code: 'keychain_locked' });
  expect([...core.secrets.items.values()]).toEqual([key]);
  locked = false;
  expect(await next.client.providers.check({ id: 'openai' })).toMatchObject({ state: 'works', storage: 'keychain' });
});

test('no file of the data folder ever contains a key, with or without a keychain', async () => {
  for (const openSecrets of [undefined, () => Promise.reject(new Error('DBus error'))]) {
    const core = await start(openSecrets ? { openSecrets } : {});
    const set = await core.client.providers.setKey({ id: 'openai', key });
    expect(set.storage).toBe(openSecrets ? 'session' : 'keychain');
    await core.client.models.list();
    await core.client.chat.send({ messageId: 'm', text: 'Hello', model: 'openai/gpt' });
    const files = readdirSync(core.dataFolder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(core.dataFolder, name))
      .filter((path) => statSync(path).isFile());
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      const bytes = readFileSync(file);
      for (const form of [
        key,
        encodeURIComponent(key),
        Buffer.from(key).toString('base64').slice(0, 20),
        'sk-fake-key',
      ]) {
        expect(bytes.includes(form), `${file} holds ${form}`).toBe(false);
      }
    }
  }
});
