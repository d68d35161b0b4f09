import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { searchPath } from './search-path.ts';

/** Creates a home folder whose shell reads this profile when it starts. */
function home(profile: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-shell-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, '.bash_profile'), profile);
  return folder;
}

/** Windows has no login shell, and no profile that only a login shell reads. */
const withShell = test.skipIf(process.platform === 'win32');

const ask = (profile: string, env: Record<string, string> = {}) =>
  searchPath({ platform: 'linux', env: { SHELL: '/bin/bash', HOME: home(profile), PATH: '/usr/bin:/bin', ...env } })();

withShell('what the shell adds comes first for a program that the desktop started', async () => {
  expect(await ask('export PATH="$HOME/tools:$PATH"')).toMatch(/^\/[^:]*\/tools:.*\/bin$/);
});

withShell('in a terminal its own PATH stays first', async () => {
  const path = await ask('export PATH="/opt/from-the-profile:/usr/bin"', { TERM: 'xterm', PATH: '/venv/bin:/usr/bin' });
  expect(path).toMatch(
    /^\/venv\/bin:\/usr\/bin:.*\/opt\/from-the-profile$|^\/venv\/bin:\/usr\/bin:\/opt\/from-the-profile/,
  );
});

withShell.each([
  ['prints a lot', 'echo "Welcome back"; echo PATH=/nonsense; export PATH="/opt/tools:$PATH"'],
  ['fails in the middle', 'export PATH="/opt/tools:$PATH"; false; no-such-command'],
  ['asks something', 'export PATH="/opt/tools:$PATH"; read -r answer'],
])('a profile that %s is no obstacle', async (_, profile) => {
  const path = await ask(profile);
  expect(path).toContain('/opt/tools');
  expect(path).not.toContain('/nonsense');
});

test('a missing or silent shell changes nothing', async () => {
  expect(await searchPath({ platform: 'linux', env: { SHELL: '/no/such/shell', PATH: '/bin' } })()).toBeNull();
  const mute = join(home(''), 'mute');
  writeFileSync(mute, '#!/bin/sh\nexit 1\n');
  chmodSync(mute, 0o755);
  expect(await searchPath({ platform: 'darwin', env: { SHELL: mute, PATH: '/bin' } })()).toBeNull();
  expect(await searchPath({ platform: 'darwin', env: { PATH: '/bin' } })()).toBeNull();
  expect(await searchPath({ platform: 'win32', env: { SHELL: '/bin/bash', PATH: 'C:\\Windows' } })()).toBeNull();
});

withShell('it is asked once', async () => {
  const counted = home('echo x >> "$HOME/asked"; export PATH="/opt/tools:$PATH"');
  const path = searchPath({ platform: 'linux', env: { SHELL: '/bin/bash', HOME: counted, PATH: '/bin' } });
  expect(await path()).toBe(await path());
  expect(readFileSync(join(counted, 'asked'), 'utf8')).toBe('x\n');
});
