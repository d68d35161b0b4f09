import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { lockDataFolder } from '../../core.ts';
import { failureEntry, openLog } from '../../runtime/log/log.ts';
import { dataDirFlag, defaultDataFolder } from './data-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'portico-folder-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a folder can be used by one process at a time', () => {
  const data = join(folder, 'new', 'data');
  const unlock = lockDataFolder(data);
  // On Windows a folder inherits the permissions of its parent.
  if (process.platform !== 'win32') expect(statSync(data).mode & 0o077).toBe(0);
  expect(() => lockDataFolder(data)).toThrow(/already running with the data folder/);
  unlock();
  lockDataFolder(data)();
});

test('an error about a folder that cannot be created names it and explains what to do', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => lockDataFolder(join(folder, 'file'))).toThrow(/cannot be written\. Choose another one with --data-dir/);
});

test('the data folder is the platform’s default, or the one from the command line', () => {
  const getFolder = (...given: Parameters<typeof defaultDataFolder>) =>
    defaultDataFolder(...given).replaceAll(sep, '/');
  expect(getFolder('linux', {}, '/home/a')).toBe('/home/a/.local/share/portico');
  expect(getFolder('linux', { XDG_DATA_HOME: '/x' }, '/home/a')).toBe('/x/portico');
  expect(getFolder('darwin', {}, '/Users/a')).toBe('/Users/a/Library/Application Support/Portico');
  expect(getFolder('win32', {}, '/Users/a')).toBe('/Users/a/AppData/Roaming/Portico');
  expect(getFolder('win32', { APPDATA: '/roaming' }, '/Users/a')).toBe('/roaming/Portico');
  expect(dataDirFlag(['electron', '.', '--data-dir', '/d', '--x'])).toBe('/d');
  expect(dataDirFlag(['--data-dir=/d=1'])).toBe('/d=1');
  expect(dataDirFlag(['--data-dir'])).toBeNull();
  expect(dataDirFlag(['.'])).toBeNull();
});

test('the log stays within its size limit and contains nothing confidential', () => {
  const log = openLog(folder, () => 0);
  const long = 'x'.repeat(1_000_000);
  for (let index = 0; index < 12; index += 1) log({ event: 'test', long });
  const file = join(folder, 'logs', 'portico.log');
  expect(statSync(file).size).toBeLessThanOrEqual(5_000_000);
  expect(statSync(`${file}.1`).size).toBeLessThanOrEqual(5_000_000);
  log({ event: 'failed', ...failureEntry(new TypeError('prompt: my secret sk-canary')) });
  const last = JSON.parse(readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '');
  expect(last).toMatchObject({ time: '1970-01-01T00:00:00.000Z', event: 'failed', error: 'TypeError' });
  expect(JSON.stringify(last)).not.toMatch(/canary|secret/);
});
