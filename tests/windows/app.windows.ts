import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { windowsPath } from '../../scripts/wine.mjs';
import { articles, ask, chooseModel, ended } from '../e2e/chat.ts';
import { filesWith } from '../e2e/files-with.ts';
import { disagreements } from '../support/ledger-agrees.ts';
import { startUpstream } from '../support/upstream.ts';
import { expect, test } from './on-windows.ts';

const key = 'sk-canary-4f7a9c1e5b8d2063-portico';
const note = { name: 'über note, a.txt', text: 'eight columns\r\nand a roof\r\n' };

const provider = (page: Page) => page.getByRole('listitem').filter({ hasText: 'OpenAI' }).first();
const open = (page: Page, place: string) => page.evaluate((hash) => location.assign(hash), place);

test('on Windows a key survives a restart in the Credential Manager, and a file and its chat survive a kill', async ({
  folder,
  start,
  page,
}) => {
  const upstream = await startUpstream();
  const dataFolder = join(folder, 'data');
  const launch = async () => {
    const args = ['--no-open', '--data-dir', windowsPath(dataFolder)];
    const host = start('main/web.js', args, { OPENAI_BASE_URL: upstream.env.OPENAI_BASE_URL ?? '' });
    await page.goto(await host.waitForOutput(/(http:\/\/127\.0\.0\.1:\d+\/#b=\S+)/));
    return host;
  };
  const first = await launch();
  await page.getByRole('button', { name: 'Add a provider key' }).click();
  await expect(page.getByText('Windows Credential Manager')).toBeVisible();
  await provider(page).getByRole('button', { name: 'Add key' }).click();
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await expect(provider(page)).toContainText('Works');
  await open(page, '#settings/about');
  await expect(page.getByRole('main')).toContainText(windowsPath(dataFolder));

  await open(page, '#chat');
  await chooseModel(page, 'GPT-5');
  const file = { name: note.name, mimeType: 'text/plain', buffer: Buffer.from(note.text) };
  await page.locator('input[type=file]').first().setInputFiles(file);
  await ask(page, 'How many columns?');
  await ended(articles(page).nth(1));
  await expect(articles(page).nth(0)).toContainText(note.name);
  await expect(articles(page).nth(1)).toContainText(upstream.answer);
  expect(upstream.bodies()[0]).toContain('eight columns');
  const storedFiles = await readdir(join(dataFolder, 'attachments'), { recursive: true, withFileTypes: true });
  const [stored] = storedFiles.filter((entry) => entry.isFile());
  expect(await readFile(join(stored?.parentPath ?? '', stored?.name ?? ''), 'utf8')).toBe(note.text);
  // Ctrl-C ends the program normally.
  expect(await first.interrupt()).toBe(0);
  expect(await filesWith(dataFolder, key)).toEqual([]);

  const second = await launch();
  await page.getByRole('navigation', { name: 'Chats' }).getByRole('link').first().click();
  await ask(page, 'Are you sure?');
  await ended(articles(page).nth(3));
  await expect(articles(page).nth(3)).toContainText(upstream.answer);
  await open(page, '#settings/privacy');
  await expect(page.locator('[data-setting="Keychain"]')).toContainText('Available');
  await second.kill();

  const third = await launch();
  await page.getByRole('navigation', { name: 'Chats' }).getByRole('link').first().click();
  await expect(articles(page)).toHaveCount(4);
  await expect(articles(page).nth(0)).toContainText(note.name);
  expect(await third.interrupt()).toBe(0);
  expect(disagreements(dataFolder)).toEqual([]);
  await upstream.stop();
});
