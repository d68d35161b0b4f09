import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { requestList } from '#shared/wire/request-record.ts';
import { bareEnvironment } from '../gateway-doubles/bare-environment.ts';
import { accountWithKey, chat, read, serve, workplace } from '../gateway-doubles/cli-process.ts';
import { sharedSecrets } from '../gateway-doubles/test-database.ts';
import { builtCli } from '../support/built-cli.ts';

/**
 * Tests `npm run gateway -- serve` under a supervisor, with the real npm, its shell, the project's own scripts and the
 * built gateway. Only the build step is replaced: it links the bundle that the other tests use.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
let project: string;

beforeAll(async () => {
  project = realpathSync(await mkdtemp(join(tmpdir(), 'portico-npm-')));
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  for (const file of ['gateway.mjs', 'child.mjs', 'bootstrap.mjs', 'one-at-a-time.mjs', 'own-programs.mjs'])
    cpSync(join(root, 'scripts', file), join(project, 'scripts', file));
  for (const area of ['shared', 'gateway', 'electron', 'renderer']) mkdirSync(join(project, area));
  const cli = pathToFileURL(await builtCli());
  const build = `const fs = require('node:fs'); fs.mkdirSync('dist/gateway', { recursive: true });
    fs.writeFileSync('dist/gateway/cli.js', ${JSON.stringify(`import ${JSON.stringify(cli)};`)});`;
  mkdirSync(join(project, 'vite', 'bin'), { recursive: true });
  writeFileSync(join(project, 'vite', 'bin', 'vite.js'), build);
  writeFileSync(join(project, 'vite', 'package.json'), JSON.stringify({ name: 'vite', version: '1.0.0' }));
  const manifest = { name: 'project', version: '1.0.0', type: 'module', scripts, dependencies: { vite: 'file:vite' } };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  const locked = spawnSync('npm', ['install', '--package-lock-only', '--offline'], { cwd: project, encoding: 'utf8' });
  expect(locked.status, locked.stderr).toBe(0);
  return () => rm(project, { recursive: true, force: true });
}, 120_000);

/** Starts the command that a user types. Its processes form a group of their own, as in a supervisor's unit. */
async function npmServe(database: string) {
  const child = spawn('npm', ['run', 'gateway', '--', 'serve', '--port', '0', '--db', database], {
    cwd: project,
    env: bareEnvironment({ ...sharedSecrets(), HOME: project }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const pid = Number(child.pid);
  onTestFinished(() => signal(-pid, 'SIGKILL'));
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const closed = once(child, 'close');
  const url = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const found = /^Portico gateway on (http:\S+)$/.exec(line)?.[1];
    if (found) url.resolve(found);
  });
  void closed.then(() => url.reject(new Error(`it did not start: ${log}`)));
  return { pid, url: await url.promise, log: () => log, closed };
}

/** Signals one process or, with a negative number, a group. */
function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // All its processes have already ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** An answer of about five seconds, in which a script checks its parent ten times. */
const long = { model: 'sandbox/echo', prompt: 'To be said again. '.repeat(100), stream: true };

describe.skipIf(process.platform === 'win32')('npm run gateway -- serve', { timeout: 120_000 }, () => {
  test.each([
    { target: 'npm alone', toPid: (pid: number) => pid },
    { target: 'all of its processes', toPid: (pid: number) => -pid },
  ])('finishes a running answer when a supervisor sends SIGTERM to $target', async ({ toPid }) => {
    const { database } = await workplace();
    const { key } = await accountWithKey(database);
    const { pid, url, log, closed } = await npmServe(database);
    const answer = (await chat(url, key, long)).text();
    signal(toPid(pid), 'SIGTERM');
    await expect.poll(log).toContain('"draining"');
    expect(await answer).toContain('data: [DONE]');
    await closed;
    expect(log()).toContain('"stopped"');
    const again = await serve(database);
    const requests = requestList.parse(await read(again.url, '/v1/requests', key));
    expect(requests.data).toMatchObject([{ status: 'succeeded' }]);
  });

  test('ends a running answer immediately when a supervisor asks again a second later', async () => {
    const { database } = await workplace();
    const { key } = await accountWithKey(database);
    const { pid, url, log, closed } = await npmServe(database);
    const answer = (await chat(url, key, { ...long, model: 'sandbox/slow' })).text();
    // Signals within a second count as one, and a third would end the process with an error.
    const stoppedTwice = expect.poll(
      () => {
        if (!log().includes('"drain_cut_short"')) signal(-pid, 'SIGTERM');
        return log();
      },
      { interval: 1_500 },
    );
    await stoppedTwice.toContain('"drain_cut_short"');
    expect(await answer).toContain('shutting_down');
    await closed;
    expect(log()).toContain('"stopped"');
  });
});
