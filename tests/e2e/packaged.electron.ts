import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { _electron as electron } from 'playwright';
import { appImages } from '../support/app-image.ts';
import { freePort } from '../support/free-port.ts';
import { readPdf } from '../support/read-pdf.ts';
import { startSecretService } from '../support/secret-service.ts';
import { unexplained } from '../support/shipped-files.ts';
import { feedKey, startUpdateFeed } from '../support/update-feed.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';
import { dollars, getBalance } from './money.ts';
import { drive, endpointIn, flags, openedCopy, packageApp, startPackaged } from './packaged-app.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test.skip(process.platform !== 'linux', 'packages for Linux');
// All tests share one package.
test.describe.configure({ mode: 'serial', timeout: 600_000 });

let made: Promise<{ readonly output: string; readonly shipped: string; readonly opened: string }> | undefined;
const feedPort = freePort();

/** The packaged program as it ships, and a copy that tests can control. */
const packaged = () => (made ??= makePackage());

async function makePackage() {
  const output = await mkdtemp(join(tmpdir(), 'portico-package-'));
  const feed = { PORTICO_UPDATE_URL: `http://127.0.0.1:${await feedPort}/`, PORTICO_UPDATE_KEY: feedKey };
  const shipped = packageApp(output, feed);
  return { output, shipped, opened: openedCopy(shipped, join(output, 'opened')) };
}

test.afterAll(async () => {
  const packages = await made;
  if (packages) await rm(packages.output, { recursive: true, force: true });
});

test('the packaged app answers and keeps its keys in the keychain and its ledger over a restart', async ({
  folder,
}) => {
  const { shipped, opened: unpacked } = await packaged();
  await refusesDebuggers(join(shipped, 'portico'), join(folder, 'refused'));

  const keychain = await startSecretService(join(folder, 'keyring'));
  const start = () => startPackaged(join(unpacked, 'portico'), join(folder, 'data'), keychain.env);
  const first = await start();
  await first.page.getByRole('button', { name: 'Try it now' }).click();
  const before = await getBalance(first.page);
  await first.page.getByRole('button', { name: 'Send' }).click();
  const answer = articles(first.page).nth(1);
  await ended(answer);
  const cost = dollars(await answer.locator('footer').textContent());
  await expect.poll(() => getBalance(first.page)).toBe(before - cost);
  expect(await keychain.countItems()).toBeGreaterThan(0);
  // The worker thread, too, runs from inside the archive.
  await first.page.keyboard.press('ControlOrMeta+Shift+f');
  await expect(first.page.getByRole('searchbox', { name: 'Search all chats' })).toBeFocused();
  await first.page.keyboard.type('ledg');
  await expect(first.page.getByRole('main').getByRole('listitem').first()).toContainText(/ledg/i);
  // So do the workers that read documents, whose libraries load when they are first needed.
  const documents = ['report.docx', 'report.pdf', 'locked.pdf'].map((name) =>
    join(root, 'tests', 'support', 'documents', name),
  );
  await first.page.keyboard.press('ControlOrMeta+n');
  await first.page.locator('input[type=file]').first().setInputFiles(documents);
  const files = first.page.getByRole('list', { name: 'Attached files' });
  await expect(files.getByRole('listitem')).toHaveCount(2);
  await expect(files.getByRole('button', { name: 'Open report.pdf' })).toContainText('1,500 tokens');
  await expect(first.page.getByRole('alert')).toContainText('locked.pdf is protected by a password');
  await files.getByRole('button', { name: 'Open report.docx' }).click();
  await expect(first.page.getByRole('dialog')).toContainText('costs stayed *below* the estimate');
  await first.page.keyboard.press('Escape');
  await first.close();

  const again = await start();
  expect(await getBalance(again.page)).toBe(before - cost);
  await again.close();
  await savesPdf(join(unpacked, 'resources', 'app.asar'), join(folder, 'data'), join(folder, 'chat.pdf'));
  await keychain.stop();
});

/**
 * Runs the packaged archive under an Electron whose save dialog a test can answer. Markdown is drawn by code that loads
 * from the archive when it's first needed.
 */
async function savesPdf(archive: string, dataFolder: string, path: string): Promise<void> {
  const app = await electron.launch({
    args: [...flags, archive, '--data-dir', dataFolder],
    env: process.env as Record<string, string>,
  });
  await app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = (async () => ({ canceled: false, filePath })) as never;
  }, path);
  const page = await app.firstWindow();
  const chats = page.getByRole('navigation', { name: 'Chats', exact: true });
  await chats.getByRole('link').first().click();
  await page.getByRole('button', { name: 'Chat actions' }).click();
  await page.getByRole('menuitem', { name: 'Export…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export 1 chat' });
  await dialog.getByRole('button', { name: 'PDF', exact: true }).click();
  await dialog.getByRole('button', { name: 'Export', exact: true }).click();
  await expect(page.getByText('Saved as chat.pdf').first()).toBeVisible();
  expect((await readPdf(path)).text).toMatch(/\(billed\)[\s\S]*ledger/i);
  await app.close();
}

/** Expects that the shipped program exits with a message before it opens a port or writes a file. */
async function refusesDebuggers(program: string, dataFolder: string): Promise<void> {
  for (const flag of [
    '--remote-debugging-port=0',
    '-remote-debugging-port=0',
    '--inspect=0',
    '--js-flags=--expose-gc',
  ]) {
    const child = spawn(program, [...flags, flag, '--data-dir', dataFolder], { stdio: ['ignore', 'ignore', 'pipe'] });
    const [printed, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    const name = /^--?([\w-]+)/.exec(flag)?.[1];
    expect({ flag, code, printed }).toEqual({
      flag,
      code: 2,
      printed: expect.stringContaining(`portico: the installed app does not take --${name}. Start it without.`),
    });
    expect(printed).not.toContain('listening on');
  }
  expect(existsSync(dataFolder)).toBe(false);
}

/**
 * How Electron stores its fuses in the program (electron/fuses): a marker, a version, a length,
 * and a digit for each fuse.
 */
const fuseMark = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const fuseNames = [
  ...['runAsNode', 'cookieEncryption', 'nodeOptions', 'nodeCliInspect', 'asarIntegrity', 'onlyLoadAppFromAsar'],
  ...['loadBrowserProcessSpecificV8Snapshot', 'grantFileProtocolExtraPrivileges'],
];

test('the fuses in the program are those of the security page, and only necessary files ship', async () => {
  const { shipped } = await packaged();
  const program = readFileSync(join(shipped, 'portico'));
  const offset = program.indexOf(fuseMark) + fuseMark.length;
  const digits = program.subarray(offset + 2, offset + 2 + (program[offset + 1] ?? 0)).toString('latin1');
  expect(Object.fromEntries(fuseNames.map((name, index) => [name, digits[index]]))).toEqual({
    runAsNode: '0',
    cookieEncryption: '1',
    nodeOptions: '0',
    nodeCliInspect: '0',
    asarIntegrity: '1',
    onlyLoadAppFromAsar: '1',
    loadBrowserProcessSpecificV8Snapshot: '0',
    grantFileProtocolExtraPrivileges: '0',
  });
  expect(unexplained(shipped)).toEqual([]);
});

test('a newer version is found, verified and installed after the running answer completes, and a bad one is not', async ({
  folder,
}) => {
  const { opened } = await packaged();
  const feed = await startUpdateFeed(await feedPort);
  const images = appImages(opened, folder, flags);
  const program = join(folder, 'Portico.AppImage');
  const newer = join(folder, 'newer.AppImage');
  images.write('0.1.0', program);
  images.write('0.2.0', newer);
  const before = readFileSync(program);
  const log = images.env.TEST_LOG ?? '';
  const child = spawn(program, [], {
    env: { ...process.env, ...images.env, PORTICO_SIMULATED_PACE: '1' },
    stdio: 'ignore',
  });
  const { browser, page } = await drive(await endpointIn(log, 0));
  const about = () => page.evaluate(() => location.assign('#settings/about'));
  const status = page.getByRole('status').filter({ hasText: /version|look/i });
  const checkForUpdates = () => page.getByRole('button', { name: 'Look now' }).click();
  await page.getByRole('button', { name: 'Try it now' }).click();
  await about();
  await expect(status).toContainText('Not looked for yet');

  await checkForUpdates();
  await expect(page.getByText(/was not reached|cannot be read/)).toBeVisible();
  feed.offer({ version: '0.0.9', file: newer });
  await checkForUpdates();
  await expect(status).toContainText('This is the newest version');
  feed.offer({ version: '0.2.0', file: newer, sha512: Buffer.alloc(64, 1).toString('base64') });
  await checkForUpdates();
  await expect(page.getByText('could not be verified and was thrown away')).toBeVisible();
  feed.offer({ version: '0.3.0', file: newer, forged: true });
  await checkForUpdates();
  await expect(page.getByText('could not be verified and was thrown away')).toBeVisible();
  await expect(status).not.toContainText('0.3.0');
  feed.offer({ version: '0.2.0', file: newer, url: 'elsewhere.AppImage' });
  await checkForUpdates();
  await expect(page.getByText('leads to an address without https')).toBeVisible();
  expect(readFileSync(program).equals(before)).toBe(true);

  const notes = '- Faster\n<img src=x onerror="document.title=\'run\'">';
  feed.offer({ version: '0.2.0', file: newer, notes });
  await checkForUpdates();
  await expect(status).toContainText('Version 0.2.0 is ready');
  await expect(page.getByRole('region', { name: 'What is new in 0.2.0' })).toContainText('<img src=x onerror');
  // The feed receives nothing that identifies this computer.
  expect(new Set(feed.asked.map(({ headers }) => headers['x-user-staging-id'] ?? ''))).toEqual(new Set(['']));

  await page.evaluate(() => location.assign('#chat'));
  await chooseModel(page, 'Sandbox Slow');
  await ask(page, 'Slowly, please');
  await expect(articles(page).nth(1)).toContainText(/\w{3}/);
  await about();
  await page.getByRole('button', { name: 'Restart and install' }).click();
  await expect(status).toContainText('when the running answers are complete');
  await page.getByRole('button', { name: 'Not now' }).click();
  await page.getByRole('button', { name: 'Restart and install' }).click();
  await expect(status).toContainText('when the running answers are complete');
  expect(readFileSync(program).equals(before)).toBe(true);
  const gone = once(child, 'exit');
  await page.evaluate(() => history.go(-1));
  await page.getByRole('button', { name: 'Stop' }).first().click();
  expect(await gone).toEqual([0, null]);
  await browser.close();

  const again = await drive(await endpointIn(log, 1));
  await again.page.evaluate(() => location.assign('#settings/about'));
  await expect(again.page.getByText('Portico 0.2.0')).toBeVisible();
  expect(readFileSync(program).equals(readFileSync(newer))).toBe(true);
  await again.page.getByRole('button', { name: 'Look now' }).click();
  await expect(again.page.getByText('This is the newest version')).toBeVisible();
  await again.page
    .getByRole('link', { name: /Slowly, please/ })
    .first()
    .click();
  await expect(articles(again.page).nth(1)).toBeVisible();
  await again.end();
  await feed.stop();
});
