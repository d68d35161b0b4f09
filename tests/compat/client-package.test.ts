import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { listen } from '../../gateway/http/listen.ts';
import { openGateway } from '../../gateway/open-gateway.ts';
import { npmBy } from '../../scripts/own-programs.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const installed = (name: string) => join(root, 'node_modules', name);
const call = promisify(execFile);

/** Makes a folder outside the repository and installs the packed client in it. Nothing is downloaded. */
async function installedOutside() {
  const folder = await mkdtemp(join(tmpdir(), 'portico-outside-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await call(process.execPath, [join(root, 'scripts', 'package.mjs'), '--client', '--out', folder], { cwd: root });
  const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  const links = ['zod', 'eventsource-parser'].map((name) => [name, `file:${installed(name)}`]);
  const dependencies = { '@portico/client': `file:./${tarball}`, ...Object.fromEntries(links) };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'outside', type: 'module', dependencies }));
  const [npm, first] = npmBy(process.execPath);
  await call(npm, [...first, 'install', '--offline', '--no-audit', '--no-fund'], {
    cwd: folder,
    env: { ...process.env, npm_config_cache: join(folder, '.npm') },
  });
  return folder;
}

async function openGatewayForOthers() {
  const gateway = await openGateway({ database: ':memory:', sandboxPace: 0 });
  const server = await listen(gateway, { port: 0 });
  onTestFinished(async () => {
    await server.close();
    await gateway.close();
  });
  const { id: accountId } = await gateway.operator.createAccount({ name: 'Outside', plan: 'sandbox' });
  await gateway.operator.grant({ accountId, amount: parseUsd('1') });
  return { url: server.url, key: (await gateway.operator.createKey({ accountId })).key };
}

test('the packed client is installed outside the repository, and its documented example compiles and runs there', async () => {
  const folder = await installedOutside();
  const own = join(folder, 'node_modules', '@portico', 'client');
  const manifest = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'));
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    expect(JSON.parse(await readFile(join(installed(name), 'package.json'), 'utf8')).version).toBe(version);
  }
  // The package imports its dependencies by name and nothing of the repository.
  const modules = (await readdir(join(own, 'lib'), { recursive: true })).filter((name) => /\.(d\.ts|js)$/.test(name));
  expect(modules.length).toBeGreaterThan(20);
  for (const name of modules) {
    const text = await readFile(join(own, 'lib', name), 'utf8');
    const asked = [...text.matchAll(/^(?:import|export)[^;]*? from ['"]([^'"]+)['"]/gms)].map(([, from = '']) => from);
    const outside = asked.filter((from) => !/^\.\.?\/.*\.js$/.test(from));
    expect(
      outside.filter((from) => !['zod', 'eventsource-parser', 'eventsource-parser/stream'].includes(from)),
    ).toEqual([]);
  }

  const [, example] = /```ts\n([\s\S]*?)```/.exec(await readFile(join(own, 'README.md'), 'utf8')) ?? [];
  await writeFile(join(folder, 'example.ts'), example ?? '');
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: ['node'],
    typeRoots: [installed('@types')],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['example.ts'] }));
  await call(process.execPath, [join(installed('typescript'), 'bin', 'tsc'), '-p', folder]);

  const { url, key } = await openGatewayForOthers();
  const run = (PORTICO_KEY: string) =>
    call(process.execPath, ['example.ts'], { cwd: folder, env: { ...process.env, PORTICO_URL: url, PORTICO_KEY } });
  const { stdout } = await run(key);
  expect(stdout).toMatch(/^sandbox\/\S+, \d+ tokens: \S/);
  expect(stdout.length).toBeGreaterThan(60);
  await expect(run('sk-portico-wrong')).rejects.toMatchObject({
    stderr: expect.stringMatching(/^401 invalid_api_key: /),
  });
});
