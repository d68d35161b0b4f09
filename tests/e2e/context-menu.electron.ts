import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ElectronApplication, Page } from '@playwright/test';
import { expect, test } from './app.ts';
import { articles, ended, message } from './chat.ts';

// In one app.
test.describe.configure({ mode: 'default' });

async function newChat(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Shift+o');
  await expect(articles(page)).toHaveCount(0);
}

/** A small picture. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

/** Menus that would open are noted instead: a real one waits for the system’s mouse. */
const noteMenus = (main: ElectronApplication) =>
  main.evaluate(({ Menu }) => {
    const noted: string[][] = [];
    Object.assign(globalThis, { noted });
    Menu.prototype.popup = function popup() {
      noted.push(this.items.filter(({ enabled }) => enabled).map(({ label, role }) => role ?? label));
    };
  });
const lastMenu = (main: ElectronApplication) =>
  main.evaluate(() => (globalThis as unknown as { noted: string[][] }).noted.at(-1) ?? []);

test('the right mouse button offers what can be done: in a field, with a selection, on a chat and on a message', async ({
  app: { page, main },
}) => {
  if (!main) throw new Error('This is a journey of the installed app');
  await newChat(page);
  await noteMenus(main);
  await message(page).fill('A few words');
  await message(page).click({ button: 'right' });
  await expect.poll(() => lastMenu(main)).toEqual(expect.arrayContaining(['undo', 'selectall']));

  await message(page).press('ControlOrMeta+a');
  await message(page).click({ button: 'right' });
  await expect.poll(() => lastMenu(main)).toEqual(expect.arrayContaining(['cut', 'copy']));

  await page.getByRole('button', { name: 'Send' }).click();
  const chat = page.getByRole('link', { name: 'A few words' }).first();
  await chat.click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeVisible();
  await page.keyboard.press('Escape');

  const [question, answer] = [articles(page).nth(0), articles(page).nth(1)];
  await ended(answer);
  await answer.getByRole('paragraph').first().click({ button: 'right' });
  await expect(page.getByRole('menuitem')).toHaveText([
    'Copy answer',
    'Regenerate',
    'Retry with…',
    'Copy as Markdown',
    'Fork from here',
    'Delete message',
  ]);
  await page.keyboard.press('Escape');
  await expect(answer).toBeFocused();
  await question.getByText('A few words').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Edit message' }).click();
  await expect(page.getByRole('textbox', { name: 'New wording' })).toBeFocused();
  await page.keyboard.press('Escape');

  // Selected words have the menu of the system.
  const word = answer.locator('strong').first();
  await word.dblclick({ position: { x: 8, y: 8 } });
  await word.click({ button: 'right', position: { x: 8, y: 8 } });
  await expect.poll(() => lastMenu(main)).toContain('copy');
  await expect(page.getByRole('menuitem')).toHaveCount(0);
});

test('the spelling is checked until that is switched off in the settings', async ({ app: { page, main } }) => {
  if (!main) throw new Error('This is a journey of the installed app');
  const checked = () => main.evaluate(({ session }) => session.defaultSession.isSpellCheckerEnabled());
  // Now and then the answer of the main process is lost to its garbage collection: it is asked again.
  await expect(async () => expect(await checked()).toBe(true)).toPass();
  await page.evaluate(() => {
    location.hash = '#settings/chat';
  });
  await page.getByRole('switch', { name: 'Check spelling' }).click();
  await expect(async () => expect(await checked()).toBe(false)).toPass();
  await page.getByRole('switch', { name: 'Check spelling' }).click();
  await expect(async () => expect(await checked()).toBe(true)).toPass();
});

test('a picture of the page is saved as it is, and said if it cannot be', async ({ app: { page, main }, folder }) => {
  if (!main) throw new Error('This is a journey of the installed app');
  await newChat(page);
  await page.locator('input[type=file]').first().setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: png });
  await page.getByRole('button', { name: 'Open dot.png' }).click();
  const saved = join(folder, 'saved.png');
  await main.evaluate(({ dialog, Menu, session }, path) => {
    const downloads: Record<string, unknown> = { path };
    Object.assign(globalThis, { downloads });
    dialog.showErrorBox = (title, detail) => {
      downloads.said = `${title}: ${detail}`;
    };
    Menu.prototype.popup = function popup() {
      this.items.find(({ label }) => label === 'Save image…')?.click();
    };
    session.defaultSession.on('will-download', (_, item) => {
      // The system’s dialog cannot be seen by a test: the path is what would be chosen there.
      item.setSavePath(String(downloads.path));
      item.once('done', (_event, state) => {
        downloads.last = { state, offered: item.getSaveDialogOptions().defaultPath?.split(/[\\/]/).at(-1) };
      });
    });
  }, saved);
  const picture = page.getByRole('dialog').getByRole('img', { name: 'dot.png' });
  await picture.click({ button: 'right' });
  const last = () => main.evaluate(() => (globalThis as unknown as { downloads: { last?: unknown } }).downloads.last);
  await expect.poll(last).toEqual({ state: 'completed', offered: 'image.png' });
  expect(await readFile(saved)).toEqual(png);

  // A file is no folder.
  const nowhere = join(saved, 'saved.png');
  await main.evaluate((_, path) => {
    Object.assign((globalThis as unknown as { downloads: object }).downloads, { path });
  }, nowhere);
  await picture.click({ button: 'right' });
  const said = () => main.evaluate(() => (globalThis as unknown as { downloads: { said?: string } }).downloads.said);
  await expect.poll(said).toContain('The image was not saved');
  expect(await said()).toContain(nowhere);
});
