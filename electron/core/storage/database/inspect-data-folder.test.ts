import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openGateway } from '#gateway/open-gateway.ts';
import { askedAndAnswered } from '../../../../tests/support/asked-and-answered.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { unusedDataFolder } from '../../../../tests/support/unused-data.ts';

const isPosix = process.platform !== 'win32';
const isRoot = process.getuid?.() === 0;
const getMode = (path: string) => statSync(path).mode & 0o777;

/** Opens the app on a data folder, asks a question, closes the app, and returns the notices that it showed. */
async function noticedIn(dataFolder: string) {
  const test = await coreOfTest({ dataFolder, openGateway });
  const { notices } = await test.client.app.info();
  expect(test.core.notices).toEqual(notices);
  const answer = await askedAndAnswered(test, 'sandbox/echo', 'Hello');
  expect(answer).toMatchObject({ text: 'Hello', status: 'done' });
  await test.client.ledger.backUp();
  await test.client.backup.make();
  await test.core.close();
  return notices;
}

test.runIf(isPosix)(
  'a data folder that others may write to is restricted to this user, also after the app has used it',
  async () => {
    const dataFolder = await unusedDataFolder();
    for (const mode of [0o777, 0o770, 0o707, 0o1777, 0o700]) {
      chmodSync(dataFolder, mode);
      expect(await noticedIn(dataFolder)).toEqual([]);
      expect(getMode(dataFolder), readdirSync(dataFolder).join(' ')).toBe(0o700);
    }
  },
);

test.runIf(isPosix)('a folder that others may only read stays as it is', async () => {
  const dataFolder = await unusedDataFolder();
  chmodSync(dataFolder, 0o755);
  expect(await noticedIn(dataFolder)).toEqual([]);
  expect(getMode(dataFolder)).toBe(0o755);
});

test.runIf(isPosix)(
  'a folder that contains other files of the user is not changed, and a notice explains it',
  async () => {
    const dataFolder = await unusedDataFolder();
    writeFileSync(join(dataFolder, 'letter.txt'), 'mine');
    chmodSync(dataFolder, 0o777);
    const [notice, ...more] = await noticedIn(dataFolder);
    expect(more).toEqual([]);
    expect(notice?.message).toMatch(/^Others may write to the data folder .*--data-dir\.$/);
    expect(notice?.message).toContain(dataFolder);
    expect(getMode(dataFolder)).toBe(0o777);
    chmodSync(dataFolder, 0o755);
    expect(await noticedIn(dataFolder)).toEqual([]);
  },
);

test.runIf(isPosix && isRoot)(
  'a folder with a file of another user is not changed, and a notice explains it',
  async () => {
    const dataFolder = await unusedDataFolder();
    writeFileSync(join(dataFolder, 'network.json'), '{}');
    chownSync(join(dataFolder, 'network.json'), 12_345, 12_345);
    chmodSync(dataFolder, 0o777);
    expect(await noticedIn(dataFolder)).toMatchObject([{ refusal: { name: 'dataFolderOpen' } }]);
    expect(getMode(dataFolder)).toBe(0o777);
  },
);

const folder = (path: string) => void mkdirSync(path);
const file = (path: string) => writeFileSync(path, 'text');
const pipe = (path: string) => void execFileSync('mkfifo', [path]);
const circle = (path: string) => symlinkSync(path, path);
const dangling = (path: string) => symlinkSync(join(path, '..', 'no', 'where'), path);

test.runIf(isPosix).each([
  ['words.log', folder, 'wordsNotKept'],
  ['words.log', pipe, 'wordsNotKept'],
  ['words.log', circle, 'wordsNotKept'],
  ['words.log', dangling, 'wordsNotKept'],
  ['logs', file, 'logNotWritten'],
  ['logs', pipe, 'logNotWritten'],
  ['logs', dangling, 'logNotWritten'],
  ['logs/portico.log', folder, 'logNotWritten'],
  ['logs/portico.log', pipe, 'logNotWritten'],
])(
  '%s of the wrong kind (%o) is reported with its path, and the app answers without it',
  async (name, make, notice) => {
    const dataFolder = await unusedDataFolder();
    const path = join(dataFolder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    make(path);
    const notices = await noticedIn(dataFolder);
    expect(notices).toMatchObject([{ refusal: { name: notice } }]);
    expect(notices[0]?.message).toMatch(
      /^[^ ]+ is not a (file|folder) that Portico can write, so .*start Portico again\.$/,
    );
    expect(notices[0]?.message).toContain(path);
    rmSync(path, { recursive: true });
    expect(await noticedIn(dataFolder)).toEqual([]);
    expect(readdirSync(dataFolder)).toEqual(expect.arrayContaining(['words.log', 'logs']));
    expect(existsSync(join(dataFolder, 'logs', 'portico.log.1'))).toBe(false);
  },
);
