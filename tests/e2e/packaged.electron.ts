import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from '@playwright/test';
import { _electron as electron } from 'playwright';
import { readPdf } from '../support/read-pdf.ts';
import { startSecretService } from '../support/secret-service.ts';
import { expect, test } from './app.ts';
import { articles, ended } from './chat.ts';
import { balanceOf, dollars } from './money.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test.skip(process.platform !== 'linux', 'packages for Linux');

test('the packaged app answers, keeps its keys in the keychain, and its books over a restart', async ({ folder }) => {
  test.setTimeout(600_000);
  const output = join(folder, 'release');
  execFileSync('npm', ['run', 'package', '--', '--linux', 'dir', `-c.directories.output=${output}`], {
    cwd: root,
    stdio: 'pipe',
  });
  const unpacked = join(output, 'linux-unpacked');
  // Makes the addons load in an Electron older than the one that is shipped, where the tests run in such a one.
  const adapt = process.env.PORTICO_ADAPT_PACKAGE;
  if (adapt && existsSync(adapt)) execFileSync(adapt, [unpacked]);

  await refusesDebuggers(join(unpacked, 'portico'), join(folder, 'refused'));
  letDebuggerIn(join(unpacked, 'resources', 'app.asar'));

  const keychain = await startSecretService(join(folder, 'keyring'));
  const start = () => startPackaged(join(unpacked, 'portico'), join(folder, 'data'), keychain.env);
  const first = await start();
  await first.page.getByRole('button', { name: 'Try it now' }).click();
  const before = await balanceOf(first.page);
  await first.page.getByRole('button', { name: 'Send' }).click();
  const answer = articles(first.page).nth(1);
  await ended(answer);
  const cost = dollars(await answer.locator('footer').textContent());
  await expect.poll(() => balanceOf(first.page)).toBe(before - cost);
  expect(await keychain.countItems()).toBeGreaterThan(0);
  // The thread beside the main one runs out of the archive, too.
  await first.page.keyboard.press('ControlOrMeta+Shift+f');
  await expect(first.page.getByRole('searchbox', { name: 'Search all chats' })).toBeFocused();
  await first.page.keyboard.type('ledg');
  await expect(first.page.getByRole('main').getByRole('listitem').first()).toContainText(/ledg/i);
  // So do those that read documents, with libraries that are loaded when they are first needed.
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
  expect(await balanceOf(again.page)).toBe(before - cost);
  await again.close();
  await savesPdf(join(unpacked, 'resources', 'app.asar'), join(folder, 'data'), join(folder, 'chat.pdf'));
  await keychain.stop();
  await rm(output, { recursive: true, force: true });
});

/**
 * The packaged archive under an Electron whose save dialog a test can answer: Markdown is drawn by code that is loaded out
 * of the archive when it is first needed.
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
  await expect(page.getByText('Saved as chat.pdf').first()).toBeVisible({ timeout: 60_000 });
  expect((await readPdf(path)).text).toMatch(/\(billed\)[\s\S]*ledger/i);
  await app.close();
}

/** The program as it is shipped: it ends with a sentence before a door is open or a file is written. */
async function refusesDebuggers(program: string, dataFolder: string): Promise<void> {
  for (const flag of [
    '--remote-debugging-port=0',
    '-remote-debugging-port=0',
    '--inspect=0',
    '--js-flags=--expose-gc',
  ]) {
    const child = spawn(program, [...flags, flag, '--data-dir', dataFolder], { stdio: ['ignore', 'ignore', 'pipe'] });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    const name = /^--?([\w-]+)/.exec(flag)?.[1];
    expect({ flag, code, said }).toEqual({
      flag,
      code: 2,
      said: expect.stringContaining(`portico: the installed app does not take --${name}. Start it without.`),
    });
    expect(said).not.toContain('listening on');
  }
  expect(existsSync(dataFolder)).toBe(false);
}

/**
 * Changes one word in this copy of the program: nothing that is said to the shipped one opens it. The archive's table of
 * places and lengths stays true.
 */
function letDebuggerIn(archive: string): void {
  const bytes = readFileSync(archive);
  const [taken, wanted] = [Buffer.from('"force-device-scale-factor"'), '"remote-debugging-port"'];
  const at = bytes.indexOf(taken);
  expect({ found: at > 0, again: bytes.indexOf(taken, at + 1) }).toEqual({ found: true, again: -1 });
  bytes.write(wanted.padEnd(taken.length), at);
  writeFileSync(archive, bytes);
}

const flags = ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];

/** A packaged program has no Node inspector (its fuses are off): it is driven as any Chromium is. */
async function startPackaged(program: string, dataFolder: string, env: Readonly<Record<string, string>>) {
  const child = spawn(program, [...flags, '--remote-debugging-port=0', '--data-dir', dataFolder], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const debugging = await endpoint(child);
  // Connecting before there is a window never returns.
  await expect.poll(() => windows(debugging)).toBe(1);
  const browser = await chromium.connectOverCDP(debugging);
  const context = browser.contexts()[0];
  if (!context) throw new Error('the packaged app has no window');
  const page: Page = context.pages()[0] ?? (await context.waitForEvent('page'));
  return {
    page,
    async close() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      await browser.close();
    },
  };
}

async function windows(debugging: string): Promise<number> {
  const list = await fetch(`http://${new URL(debugging).host}/json/list`);
  return ((await list.json()) as { type: string }[]).filter(({ type }) => type === 'page').length;
}

async function endpoint(child: ChildProcess): Promise<string> {
  if (!child.stderr) throw new Error('no output');
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    const found = /DevTools listening on (ws:\S+)/.exec(line);
    if (found?.[1]) {
      child.stderr.resume();
      return found[1];
    }
    lines.push(line);
  }
  throw new Error(`the packaged app ended:\n${lines.join('\n')}`);
}
