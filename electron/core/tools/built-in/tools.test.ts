import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { ToolTransportInput } from '#shared/contract/app/tools.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { memorySecrets } from '../../../../tests/support/memory-secrets.ts';
import { testCore } from '../../../../tests/support/test-core.ts';

const greeter = fileURLToPath(new URL('../../../../tests/support/mcp/greeter.ts', import.meta.url));

async function start() {
  const secrets = memorySecrets();
  const core = await coreOfTest({ openSecrets: async () => secrets });
  return { ...core, secrets, tools: core.client.tools };
}
const startsFile = () => join(mkdtempSync(join(tmpdir(), 'portico-greeter-')), 'starts');
const greeterWith = (variables: Record<string, string> = {}): ToolTransportInput => ({
  type: 'stdio',
  command: process.execPath,
  args: [greeter],
  folder: null,
  variables,
});

test('a server is added, tested, reviewed and enabled, and only enabling it offers its tools', async () => {
  const { tools } = await start();
  const added = await tools.addServer({ name: 'Greeter', transport: greeterWith() });
  expect(added).toMatchObject({ enabled: false, state: 'off', tools: [], changed: false });
  const tested = await tools.testServer({ id: added.id });
  expect(tested.tools.map(({ name }) => name)).toContain('greet');
  expect(tested).toMatchObject({ enabled: false, state: 'off', problem: null });
  const on = await tools.enableServer({ id: added.id, enabled: true, fingerprint: tested.fingerprint });
  expect(on).toMatchObject({ enabled: true, state: 'ready', changed: false });
});

test('adding and importing start nothing', async () => {
  const { tools } = await start();
  const starts = startsFile();
  await tools.addServer({ name: 'Greeter', transport: greeterWith({ GREETER_STARTS: starts }) });
  const json = JSON.stringify({
    mcpServers: {
      files: { command: process.execPath, args: [greeter], env: { GREETER_STARTS: starts, GREETER_MODE: 'noisy' } },
      web: { type: 'http', url: 'https://tools.example.org/mcp', headers: { Authorization: 'Bearer abc' } },
      broken: { command: 7 },
      empty: {},
    },
  });
  const { added, leftOut } = await tools.importServers({ json });
  expect(added.map(({ name, enabled, state }) => [name, enabled, state])).toEqual([
    ['files', false, 'off'],
    ['web', false, 'off'],
  ]);
  expect(leftOut.map(({ name }) => name)).toEqual(['broken', 'empty']);
  expect((await tools.importServers({ json })).leftOut.map(({ name }) => name)).toEqual([
    'broken',
    'empty',
    'files',
    'web',
  ]);
  await tools.list();
  expect(existsSync(starts)).toBe(false);
});

test('values of variables and headers go into the keychain and are never returned', async () => {
  const { tools, secrets, dataFolder } = await start();
  const { id } = await tools.addServer({ name: 'Greeter', transport: greeterWith({ GREETER_SECRET: 'canary-4711' }) });
  await tools.testServer({ id });
  expect([...secrets.items.values()].join()).toContain('canary-4711');
  expect(JSON.stringify(await tools.list())).not.toContain('canary-4711');
  expect(readFileSync(join(dataFolder, 'portico.db'), 'latin1')).not.toContain('canary-4711');
  await tools.removeServer({ id });
  expect([...secrets.items.values()].join()).not.toContain('canary-4711');
});

test('a changed server keeps the values that are not given again, is disabled, and must be reviewed again', async () => {
  const { tools, secrets } = await start();
  const { id } = await tools.addServer({ name: 'Greeter', transport: greeterWith({ GREETER_SECRET: 'kept' }) });
  const { fingerprint } = await tools.testServer({ id });
  await tools.enableServer({ id, enabled: true, fingerprint });
  const changed = await tools.changeServer({
    id,
    name: 'Other',
    transport: greeterWith({ GREETER_SECRET: '', GREETER_MODE: 'noisy' }),
  });
  expect(changed).toMatchObject({ name: 'Other', enabled: false, state: 'off', tools: [] });
  expect([...secrets.items.values()].join()).toContain('"GREETER_SECRET":"kept"');
  expect([...secrets.items.values()].join()).toContain('"GREETER_MODE":"noisy"');
});

test('a server that was not reviewed cannot be enabled', async () => {
  const { tools } = await start();
  const added = await tools.addServer({ name: 'Greeter', transport: greeterWith() });
  const { fingerprint } = await tools.testServer({ id: added.id });
  expect(fingerprint).not.toBe(added.fingerprint);
  await expect(
    tools.enableServer({ id: added.id, enabled: true, fingerprint: added.fingerprint }),
  ).rejects.toMatchObject({
    code: 'tool_server_changed',
  });
});

test('a server that does not start reports why, and is tried again when asked', async () => {
  const { tools } = await start();
  const { id } = await tools.addServer({ name: 'Greeter', transport: greeterWith({ GREETER_MODE: 'crash' }) });
  const failed = await tools.testServer({ id });
  expect(failed).toMatchObject({
    state: 'failed',
    problem: { message: expect.stringContaining('cannot find the greeting file') },
  });
});

test('built-in tools are off until they are enabled', async () => {
  const { tools } = await start();
  expect((await tools.list()).builtIn.map(({ name, enabled }) => [name, enabled])).toEqual([
    ['calculator', false],
    ['current_time', false],
    ['fetch_page', false],
  ]);
  await tools.enableBuiltIn({ name: 'calculator', enabled: true });
  expect((await tools.list()).builtIn[0]).toMatchObject({ name: 'calculator', enabled: true });
  await expect(tools.enableBuiltIn({ name: 'rm', enabled: true })).rejects.toMatchObject({ code: 'not_found' });
});

test('a server without secret values needs no keychain: it is added, changed, used and removed', async () => {
  const { client, close } = await testCore({ openSecrets: () => Promise.reject(new Error('no keychain')) });
  try {
    const transport = { type: 'stdio' as const, command: process.execPath, args: [greeter] };
    const { id } = await client.tools.addServer({ name: 'Greeter', transport });
    await client.tools.changeServer({ id, name: 'Greeter again', transport });
    expect(await client.tools.testServer({ id })).toMatchObject({ problem: null, name: 'Greeter again' });
    await client.tools.removeServer({ id });
    expect((await client.tools.list()).servers).toEqual([]);
  } finally {
    await close();
  }
});
