import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noCaddy } from './caddy.ts';
import { type CleanRoot, noCleanRoot, type Running, runBeside, type Setting } from './clean-root.ts';
import { readDockerfile } from './dockerfile.ts';
import { type Replayed, type RunStep, replay } from './replay.ts';

/**
 * Replays the Dockerfile step by step in clean folders and starts the result. `PORTICO_LONG=1` installs
 * from the registry as the image does. Otherwise the packages that the copied lock file names are linked
 * from this folder's `node_modules`.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const image = readDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'));
const missing = noCleanRoot();

const asItStands: RunStep = (command, clean, setting) => {
  const fetches = command.startsWith('npm ');
  return clean.run(['sh', '-c', command], setting, fetches ? registryAccess() : undefined);
};
const quickly: RunStep = async (command, clean, setting) => {
  if (command.startsWith('npm ci ')) link(clean, setting, command.endsWith('--omit=dev'));
  else await asItStands(command, clean, setting);
};

/** Returns the mounts with which npm in the clean root reaches the registry as it does from here. */
function registryAccess(): string[] {
  const readable = [
    '/etc/resolv.conf',
    '/etc/hosts',
    '/etc/nsswitch.conf',
    '/etc/ssl',
    process.env.NODE_EXTRA_CA_CERTS,
  ];
  const files = readable.filter((path) => path !== undefined && existsSync(path));
  const named = Object.entries(process.env).filter(([name]) => /^NODE_EXTRA_CA_CERTS$|^(https?|no)_proxy$/i.test(name));
  return [
    ...files.flatMap((path) => ['--ro-bind', path ?? '', path ?? '']),
    ...named.flatMap(([name, value]) => ['--setenv', name, value ?? '']),
  ];
}

interface Locked {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

/** Links what `npm ci` would install: everything, or everything that isn't for development only. */
function link({ folder }: CleanRoot, { directory }: Setting, production: boolean): void {
  const there = join(folder, directory);
  if (!existsSync(join(there, 'package.json'))) throw new Error('npm has no package.json there');
  const lock = JSON.parse(readFileSync(join(there, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const wanted = Object.entries(lock.packages).filter(([path, { dev, devOptional }]) => path && !dev && !devOptional);
  const paths = production ? wanted.map(([path]) => path) : ['node_modules'];
  for (const path of paths.filter((name) => existsSync(join(root, name)))) {
    mkdirSync(dirname(join(there, path)), { recursive: true });
    execFileSync('cp', ['--archive', '--link', join(root, path), join(there, path)]);
  }
}

test.runIf(process.env.CI)('in CI none of these tests is skipped', () => {
  expect([missing, noCaddy()]).toEqual([null, null]);
});

test('a file that .dockerignore excludes cannot be copied', async () => {
  const copying = readDockerfile('FROM x\nCOPY knip.json ./\nENTRYPOINT ["a"]\nHEALTHCHECK CMD ["a"]');
  await expect(replay(copying, root, asItStands)).rejects.toThrow('there is no "knip.json" that may be copied');
});

test.each(['ADD a b', 'COPY --chown=node a b', 'RUN --mount=type=cache true', 'ENTRYPOINT node a', 'SHELL ["bash"]'])(
  'an instruction that is not replayed is refused: %s',
  (instruction) => expect(() => readDockerfile(`FROM x\n${instruction}`)).toThrow(/^not /),
);

describe.skipIf(missing)('the image', { timeout: 600_000 }, () => {
  let built: Replayed;
  let running: Running | null = null;
  beforeAll(async () => {
    built = await replay(image, root, process.env.PORTICO_LONG ? asItStands : quickly);
  }, 600_000);
  afterAll(() => {
    // A process that has changed its user doesn't end together with bubblewrap.
    if (running?.child.exitCode === null) process.kill(running.pid, 'SIGKILL');
    built?.close();
  });

  const inside = (container: Running, command: readonly string[]) => runBeside(container, command, built.setting);

  test('serves, is healthy exactly as long as it does, and ends normally', async () => {
    const { root: files, setting } = built;
    running = await files.start([...image.entrypoint, ...image.command], setting);
    const container = running;
    const exited = once(container.child, 'exit');
    let log = '';
    container.child.stderr?.on('data', (chunk) => {
      log += chunk;
    });
    const listening = once(container.child.stdout as NodeJS.ReadableStream, 'data');
    await Promise.race([listening, exited.then(() => Promise.reject(new Error(`it did not start: ${log}`)))]);
    expect(await inside(container, ['node', '--version'])).toBe(`${process.version}\n`);
    await inside(container, image.healthcheck);

    const commandLine = async (...words: string[]) => {
      const printed = await inside(container, [...image.entrypoint, ...words]);
      return printed.trimEnd().split('\n').at(-1) ?? '';
    };
    const account = await commandLine('account', 'create', '--name', 'Inside');
    await commandLine('credit', 'grant', account, '1');
    const key = await commandLine('key', 'create', account);
    const ask = `const answer = await fetch('http://127.0.0.1:8788/v1/chat/completions', { method: 'POST',
      headers: { authorization: 'Bearer ${key}', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'hello there' }] }) });
      console.log(answer.status, await answer.text());`;
    expect(await inside(container, ['node', '--input-type=module', '-e', ask])).toMatch(/^200 .*hello there/s);
    expect(await commandLine('ledger', 'verify')).toBe('The books are exact.');

    process.kill(container.pid, 'SIGTERM');
    expect(await exited, log).toEqual([0, null]);
    await expect(files.run(image.healthcheck, setting)).rejects.toMatchObject({ code: 1 });
  });

  test('runs as a user who can write nothing except its data', async () => {
    const { root: files, setting } = built;
    expect(setting.user).toBe('node');
    await files.run(['touch', '/data/written'], setting);
    await expect(files.run(['touch', 'written'], setting)).rejects.toThrow('Permission denied');
  });
});
