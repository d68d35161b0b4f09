import { expect, test } from 'vitest';
import { refusedSwitch } from './command-line.ts';

const refused = (args: readonly string[], platform: NodeJS.Platform = 'linux', withoutSandbox = false) =>
  refusedSwitch({ args, platform, withoutSandbox });

test('the app’s own switches and those for display and language are accepted', () => {
  expect(refused([])).toBe(null);
  expect(refused(['--data-dir', '/data', '--disable-gpu', '--ozone-platform=wayland', 'portico://x', '-'])).toBe(null);
  expect(refused(['--data-dir=C:\\data', '--lang=de'], 'win32')).toBe(null);
  expect(refused(['--force-renderer-accessibility'], 'win32')).toBe(null);
  expect(refused(['-psn_0_12345'], 'darwin')).toBe(null);
  expect(refused(['--', '--remote-debugging-port=1'])).toBe(null);
});

test.each([
  '--remote-debugging-port=9222',
  '-remote-debugging-port=9222',
  ' --remote-debugging-port=9222',
  '--remote-debugging-port',
  '--remote-debugging-pipe',
  '--remote-debugging-address=0.0.0.0',
  '--remote-allow-origins=*',
  '--inspect',
  '--inspect-brk=0',
  '--js-flags=--allow-natives-syntax',
  '--load-extension=/x',
  '--disable-web-security',
  '--disable-features=IsolateOrigins',
  '--user-data-dir=/x',
  '--gpu-launcher=/x',
  '--renderer-cmd-prefix=/x',
  '--proxy-server=x',
  '--ignore-certificate-errors',
  '--host-rules=MAP * x',
  '--no-sandbox',
  '--log-file=/x',
  '-psn_0_1',
  '-r',
])('%j is refused', (arg) => {
  expect(refused(['--data-dir', '/data', arg])).toBe(/^\s*--?([^=]+)/.exec(arg)?.[1]);
});

test('on Windows a switch is recognised with a slash and in capitals too', () => {
  expect(refused(['/REMOTE-debugging-port=9222'], 'win32')).toBe('remote-debugging-port');
  expect(refused(['--Inspect'], 'win32')).toBe('inspect');
});

test('the switch with which the Windows installer starts a new version is accepted only on Windows', () => {
  expect(refused(['--updated'], 'win32')).toBe(null);
  expect(refused(['--updated', '/REMOTE-debugging-port=9222'], 'win32')).toBe('remote-debugging-port');
  expect(refused(['--updated'], 'linux')).toBe('updated');
});

test('Chromium’s sandbox can be turned off only on Linux, and only where it cannot work', () => {
  expect(refused(['--no-sandbox'], 'linux', true)).toBe(null);
  expect(refused(['--no-sandbox'], 'darwin', true)).toBe('no-sandbox');
  expect(refused(['--no-sandbox'], 'win32', true)).toBe('no-sandbox');
});
