import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ElectronApplication, Page } from '@playwright/test';
import { expect, test } from './app.ts';
import { articles, ended, message } from './chat.ts';

// All tests share one app.
test.describe.configure({ mode: 'default' });

async function newChat(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Shift+o');
  await expect(articles(page)).toHaveCount(0);
}

/** A picture of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

/** Records menus instead of opening them: a real menu would wait for the system's mouse. */
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

test('the right mouse button offers what fits the field, the selection, the chat or the message', async ({
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

  // Selected words get the system's menu.
  const word = answer.locator('strong').first();
  await word.dblclick({ position: { x: 8, y: 8 } });
  await word.click({ button: 'right', position: { x: 8, y: 8 } });
  await expect.poll(() => lastMenu(main)).toContain('copy');
  await expect(page.getByRole('menuitem')).toHaveCount(0);
});

test('spelling is checked until it is switched off in the settings', async ({ app: { page, main } }) => {
  if (!main) throw new Error('This is a journey of the installed app');
  const checked = () => main.evaluate(({ session }) => session.defaultSession.isSpellCheckerEnabled());
  // Now and then the main process loses its answer to garbage collection, so this asks again.
  await expect(async () => expect(await checked()).toBe(true)).toPass();
  await page.evaluate(() => {
    location.hash = '#settings/chat';
  });
  await page.getByRole('switch', { name: 'Check spelling' }).click();
  await expect(async () => expect(await checked()).toBe(false)).toPass();
  await page.getByRole('switch', { name: 'Check spelling' }).click();
  await expect(async () => expect(await checked()).toBe(true)).toPass();
});

test('a picture of the page is saved unchanged, and a failure to save is reported', async ({
  app: { page, main },
  folder,
}) => {
  if (!main) throw new Error('This is a journey of the installed app');
  await newChat(page);
  await page.locator('input[type=file]').first().setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: png });
  await page.getByRole('button', { name: 'Open dot.png' }).click();
  const saved = join(folder, 'saved.png');
  await main.evaluate(({ dialog, Menu, session }, path) => {
    const downloads: Record<string, unknown> = { path };
    Object.assign(globalThis, { downloads });
    dialog.showErrorBox = (title, detail) => {
      downloads.error = `${title}: ${detail}`;
    };
    Menu.prototype.popup = function popup() {
      this.items.find(({ label }) => label === 'Save image…')?.click();
    };
    session.defaultSession.on('will-download', (_, item) => {
      // A test can't see the system's dialog. This is the path that a person would choose there.
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

  // This path is inside a file, so saving must fail.
  const nowhere = join(saved, 'saved.png');
  await main.evaluate((_, path) => {
    Object.assign((globalThis as unknown as { downloads: object }).downloads, { path });
  }, nowhere);
  await picture.click({ button: 'right' });
  const error = () => main.evaluate(() => (globalThis as unknown as { downloads: { error?: string } }).downloads.error);
  await expect.poll(error).toContain('The image was not saved');
  expect(await error()).toContain(nowhere);
});
