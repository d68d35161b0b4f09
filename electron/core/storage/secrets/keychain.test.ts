import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Secret } from '#gateway/access/auth/secret.ts';
import { memorySecrets } from '../../../../tests/support/memory-secrets.ts';
import { openKeychain, type SecretStore } from './keychain.ts';
import { getHint, openSecretBox } from './secret-box.ts';
import { sessionMemory } from './session-memory.ts';

function keychain(open: () => Promise<SecretStore>) {
  const events: string[] = [];
  const opened = openKeychain({
    open,
    backend: 'Test Keychain',
    limitMs: 30,
    log: ({ state }) => events.push(`log ${state}`),
    stateChanged: () => events.push('changed'),
    recovered: () => events.push('recovered'),
  });
  return { ...opened, events };
}

test('a secret is stored in the keychain under its profile', async () => {
  const store = memorySecrets();
  const box = await openSecretBox(
    keychain(async () => store),
    'p1',
    sessionMemory(),
  );
  expect(await box.set('provider/openai', new Secret('sk-one'))).toBe('keychain');
  expect([...store.items]).toEqual([['p1/provider/openai', 'sk-one']]);
  expect((await box.get('provider/openai'))?.reveal()).toBe('sk-one');
  await box.remove('provider/openai');
  expect(store.items.size).toBe(0);
});

test('without a keychain a secret is kept for the session and the problem is reported', async () => {
  const none = keychain(async () => {
    throw new Error('Platform failure: DBus error');
  });
  const memory = sessionMemory();
  const box = await openSecretBox(none, 'p1', memory);
  expect(await box.set('k', new Secret('sk-one'))).toBe('session');
  expect((await box.get('k'))?.reveal()).toBe('sk-one');
  expect(none.state()).toMatchObject({
    state: 'unavailable',
    backend: null,
    problem: { refusal: { name: 'keychainNone' } },
  });
  const another = await openSecretBox(none, 'p2', memory);
  await expect(another.get('k')).rejects.toMatchObject({ code: 'keychain_failed' });
  expect((await (await openSecretBox(none, 'p1', memory)).get('k'))?.reveal()).toBe('sk-one');
  await box.remove('k');
  expect(await memory.all()).toEqual([]);
});

test('a keychain that hangs for longer than the D-Bus timeout is probed again until it answers', async () => {
  const calls: PromiseWithResolvers<string | null>[] = [];
  const slow = keychain(async () => ({
    ...memorySecrets(),
    get() {
      const call = Promise.withResolvers<string | null>();
      calls.push(call);
      return call.promise;
    },
  }));
  await slow.probe();
  calls[0]?.reject(new Error('Did not receive a reply.'));
  await expect.poll(() => calls.length).toBe(2);
  expect(slow.state().problem?.refusal).toMatchObject({ name: 'keychainHangs' });
  calls[1]?.resolve(null);
  await expect.poll(() => slow.state().state).toBe('available');
});

test('a D-Bus timeout is not taken for a locked keychain although its message mentions blocking', async () => {
  const inVain =
    'Did not receive a reply. Possible causes include: the remote application did not send a reply, the message bus security policy blocked the reply.';
  const silent = keychain(async () => {
    throw new Error(inVain);
  });
  await silent.probe();
  expect(silent.state().problem?.refusal).toMatchObject({ name: 'keychainHangs' });
});

test.each(['The user name or passphrase you entered is not correct.', 'User interaction is not allowed.'])(
  'a refusal by the user or the system is not reported as a missing keychain: %s',
  async (message) => {
    const refusing = keychain(async () => {
      throw new Error(message);
    });
    await refusing.probe();
    expect(refusing.state()).toMatchObject({ state: 'locked', problem: { refusal: { name: 'keychainRefused' } } });
  },
);

test('a hung keychain fails within its time limit, is not called again, and recovers when it answers', async () => {
  const store = memorySecrets();
  store.items.set('a', 'kept');
  let answer = () => {};
  let asked = 0;
  const waiting = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const slow = keychain(async () => ({
    ...store,
    async get(account) {
      asked += 1;
      await waiting;
      return store.get(account);
    },
  }));
  await expect(slow.get('a')).rejects.toMatchObject({ code: 'keychain_locked' });
  await expect(slow.get('a')).rejects.toMatchObject({ code: 'keychain_locked' });
  await expect(slow.set('a', 'other')).rejects.toMatchObject({ code: 'keychain_locked' });
  expect(asked).toBe(1);
  expect(store.items.get('a')).toBe('kept');
  answer();
  await expect.poll(() => slow.state().state).toBe('available');
  expect(await slow.get('a')).toBe('kept');
  expect(slow.events).toEqual(['changed', 'log available', 'changed', 'recovered']);
});

test('a hint shows both ends of a long key and less of a short one', () => {
  expect(getHint(new Secret('sk-proj-abcdefgh9fQ2'))).toBe('sk-…9fQ2');
  expect(getHint(new Secret('12345678'))).toBe('…78');
});

const hasService = ['dbus-run-session', 'gnome-keyring-daemon', 'dbus-send'].every(
  (program) => spawnSync('which', [program]).status === 0,
);
const script = fileURLToPath(new URL('../../../../tests/support/use-keychain.ts', import.meta.url));

describe.skipIf(!hasService)('with a Secret Service of its own', () => {
  /** Runs a command in a session bus of its own, with an empty home folder. */
  function inSession(shell: string): string {
    const home = mkdtempSync(join(tmpdir(), 'portico-keyring-'));
    mkdirSync(join(home, 'run'), { mode: 0o700 });
    const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, XDG_RUNTIME_DIR: join(home, 'run') };
    try {
      const args = ['--', 'bash', '-c', shell, 'bash', process.execPath, script];
      return execFileSync('dbus-run-session', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }
  const daemon = 'echo -n pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null';
  const search =
    'dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets ' +
    'org.freedesktop.Secret.Service.SearchItems dict:string:string:service,Portico,username,p/provider/openai';

  test('a stored secret is an item of the Secret Service', () => {
    const output = inSession(`${daemon}; "$1" "$2"; ${search}`);
    expect(output).toContain('{"set":true,"read":"sk-canary","state":"available"}');
    expect(output).toMatch(/object path "\/org\/freedesktop\/secrets\/collection\/\w+\/\d+"/);
  });

  test('a locked keychain is recognised and nothing is stored anywhere else', () => {
    const output = inSession('gnome-keyring-daemon --start --components=secrets >/dev/null; "$1" "$2"');
    expect(output).toContain('"set":false');
    expect(output).toMatch(/"state":"(locked|unavailable)"/);
  });
});

test('without a session bus there is no keychain, and the kernel keyring is not used instead', () => {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  const output = execFileSync(process.execPath, [script], { env, encoding: 'utf8' });
  const expected = process.platform === 'linux' ? '{"set":false,"read":null,"state":"unavailable"}' : '"state"';
  expect(output).toContain(expected);
});
