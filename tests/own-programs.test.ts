import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { getProgram, npmBy } from '../scripts/own-programs.mjs';

/** Makes a folder as Node's installer for Windows leaves it, with a space in its name. */
function installedOnWindows() {
  const folder = mkdtempSync(join(tmpdir(), 'program files-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js');
  mkdirSync(dirname(script), { recursive: true });
  for (const file of [join(folder, 'npm.cmd'), script]) writeFileSync(file, '');
  return { folder, script };
}

test('on Windows npm is started through its script, without a shell', () => {
  const { folder, script } = installedOnWindows();
  expect(npmBy('node.exe', { Path: ['elsewhere', folder].join(delimiter) }, 'win32')).toEqual(['node.exe', [script]]);
  expect(npmBy('node.exe', { Path: 'elsewhere' }, 'win32')).toEqual(['npm', []]);
});

test('on other systems npm is a program, and on every system the npm that runs us comes first', () => {
  const { folder } = installedOnWindows();
  expect(npmBy('node', { PATH: folder }, 'linux')).toEqual(['npm', []]);
  for (const system of ['linux', 'win32'] as const)
    expect(npmBy('node', { PATH: folder, npm_execpath: 'own.js' }, system)).toEqual(['node', ['own.js']]);
});

test.each(['biome', 'knip', 'playwright', 'tsc', 'vite', 'vitest'])('%s is a script of its package', (command) => {
  expect(existsSync(getProgram(command))).toBe(true);
});
