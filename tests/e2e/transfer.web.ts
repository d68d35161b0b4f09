import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, ended, message } from './chat.ts';

const chats = (page: Page) => page.getByRole('navigation', { name: 'Chats', exact: true });

const chatgpt = [
  {
    id: 'g1',
    title: 'An old chat',
    create_time: 1_700_000_000,
    update_time: 1_700_000_100,
    current_node: 'b',
    mapping: {
      a: { id: 'a', parent: null, message: exportedMessage('user', 'Where is the zanzibar archipelago?') },
      b: { id: 'b', parent: 'a', message: exportedMessage('assistant', 'In the Indian Ocean.') },
    },
  },
];
function exportedMessage(role: string, text: string) {
  return { author: { role }, content: { content_type: 'text', parts: [text, { asset_pointer: 'x' }] } };
}

test.describe('with one shared app', () => {
  test.describe.configure({ mode: 'default' });

  test("another program's chats are imported with a preview, found by search, and restored from a backup", async ({
    app: { page },
    folder,
  }) => {
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.keyboard.press('ControlOrMeta+,');
    await page.getByRole('link', { name: 'Data & backup' }).click();
    await expect(page.getByText('No backup yet.')).toBeVisible();
    await expectNoFault(page, 'data and backup');

    const file = join(folder, 'conversations.json');
    await writeFile(file, '{"broken":');
    await page.getByLabel('File to import').setInputFiles(file);
    await expect(page.getByText('it ends in the middle').first()).toBeVisible();
    await writeFile(file, JSON.stringify(chatgpt));
    await page.getByLabel('File to import').setInputFiles(file);
    const dialog = page.getByRole('dialog', { name: '1 chat from ChatGPT' });
    const grown = page.getByRole('dialog', { name: '2 chats from ChatGPT' });
    await expect(dialog).toContainText('pictures and files: 2');
    await expect(dialog).toContainText('not guessed');
    await expectNoFault(page, 'import preview');
    await expect(dialog.getByRole('button', { name: 'Import 1 chat' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(chats(page).getByRole('link', { name: 'An old chat' })).toBeVisible();
    await expect(dialog).toBeHidden();
    // Importing the same file again has nothing to do, and the dialog offers nothing.
    await page.getByLabel('File to import').setInputFiles(file);
    await expect(dialog).toContainText('This chat is here already and stays as it is.');
    await expect(dialog.getByRole('button', { name: /^Import/ })).toHaveCount(0);
    await expect(dialog).not.toContainText('not guessed');
    await expect(dialog.getByRole('button', { name: 'Close', exact: true }).last()).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();

    // The export has grown since: only what is new is imported.
    const c = { id: 'c', parent: 'b', message: exportedMessage('user', 'And how far is it from Mombasa?') };
    const [old] = chatgpt;
    const more = { ...old, current_node: 'c', mapping: { ...old?.mapping, c } };
    await writeFile(file, JSON.stringify([more, { ...old, id: 'g2', title: 'A new chat' }]));
    await page.getByLabel('File to import').setInputFiles(file);
    await expect(grown).toContainText('1 new, 1 grown by 1 message');
    await expect(grown.getByRole('listitem').first()).toContainText('1 new message');
    await expectNoFault(page, 'import of what has grown');
    await grown.getByRole('button', { name: 'Import 1 chat and 1 new message' }).click();
    await expect(page.getByText('1 chat and 1 new message imported')).toBeVisible();

    await page.getByRole('button', { name: 'Back up now' }).click();
    await expect(page.getByRole('list', { name: 'Backups' }).getByRole('listitem')).toHaveCount(1);
    await chats(page).getByRole('link', { name: 'An old chat' }).focus();
    await page.keyboard.press('Delete');
    await expect(chats(page).getByRole('link', { name: 'An old chat' })).toHaveCount(0);
    await page.getByRole('button', { name: /^Restore/ }).click();
    await expectNoFault(page, 'restore');
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await expect(chats(page).getByRole('link', { name: 'An old chat' })).toBeVisible();
    await expect(page.getByText('Before a restore')).toBeVisible();

    await page.keyboard.press('ControlOrMeta+Shift+f');
    await expect(page.getByRole('searchbox', { name: 'Search all chats' })).toBeFocused();
    await page.keyboard.type('zanzi');
    await page.getByRole('main').getByRole('listitem').first().getByRole('link').click();
    await expect(articles(page).first()).toContainText('zanzibar');
    await expect(articles(page).nth(1)).not.toContainText('$');
  });

  test('find in a chat counts, steps through and marks matches by keyboard, and Esc returns to the composer', async ({
    app: { page },
  }) => {
    await page.getByRole('button', { name: 'New chat' }).click();
    await ask(page, 'How does the ledger work?');
    await ended(articles(page).nth(1));
    await page.keyboard.press('ControlOrMeta+f');
    const field = page.getByRole('textbox', { name: 'Find in this chat' });
    await expect(field).toBeFocused();
    await page.keyboard.type('LEDGER');
    const place = page.getByRole('search', { name: 'Find in this chat' }).getByRole('status');
    await expect(place).toHaveText(/^(\d+) of \1$/);
    const all = Number((await place.textContent())?.split(' ').at(-1));
    expect(all).toBeGreaterThan(1);
    await page.keyboard.press('Enter');
    await expect(place).toHaveText(`${all - 1} of ${all}`);
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Shift+Enter');
    await expect(place).toHaveText(`1 of ${all}`);
    const marked = () =>
      page.evaluate(() =>
        [...(CSS.highlights.get('find') ?? [])].map((range) => (range as Range).toString().toLowerCase()),
      );
    await expect.poll(async () => (await marked()).length).toBeGreaterThan(1);
    expect(new Set(await marked())).toEqual(new Set(['ledger']));
    await expectNoFault(page, 'find');
    await page.keyboard.type(' zzz');
    await expect(place).toHaveText('Nothing found');
    await page.keyboard.press('Escape');
    await expect(message(page)).toBeFocused();
    expect(await marked()).toEqual([]);
  });

  test('a chat is exported with its cost as a download of the browser', async ({ app: { page }, folder }) => {
    await page.getByRole('button', { name: 'New chat' }).click();
    await ask(page, 'How does the ledger work?');
    await ended(articles(page).nth(1));
    const cost = /\$[\d.]+/.exec((await articles(page).nth(1).textContent()) ?? '')?.[0] ?? 'no cost';
    for (const [format, ending] of [
      ['Markdown', 'md'],
      ['HTML', 'html'],
      ['JSON', 'json'],
    ] as const) {
      await page.getByRole('button', { name: 'Chat actions' }).click();
      await page.getByRole('menuitem', { name: 'Export…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Export 1 chat' });
      await dialog.getByRole('button', { name: format, exact: true }).click();
      if (format === 'HTML') await expectNoFault(page, 'export');
      const saving = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Export', exact: true }).click();
      const download = await saving;
      expect(download.suggestedFilename()).toMatch(new RegExp(`\\.${ending}$`));
      const path = join(folder, `export.${ending}`);
      await download.saveAs(path);
      expect(await readFile(path, 'utf8')).toContain(format === 'JSON' ? `"costUsd":"${cost.slice(1)}"` : cost);
      await expect(dialog).toBeHidden();
    }

    // Captures what the browser's print dialog would get, because a test can't see that dialog.
    await page.evaluate(() => {
      const frames = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, 'contentWindow');
      Object.defineProperty(HTMLIFrameElement.prototype, 'contentWindow', {
        get() {
          const frame = frames?.get?.call(this) as Window;
          frame.print = () => {
            const { body, title } = frame.document;
            Object.assign(window, { printed: { words: body.textContent, title, path: frame.location.pathname } });
            frame.dispatchEvent(new Event('afterprint'));
          };
          return frame;
        },
      });
    });
    await page.getByRole('button', { name: 'Chat actions' }).click();
    await page.getByRole('menuitem', { name: 'Export…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export 1 chat' });
    await dialog.getByRole('button', { name: 'PDF', exact: true }).click();
    await expect(dialog).toContainText('print dialog of your browser');
    await dialog.getByRole('button', { name: 'Export', exact: true }).click();
    await expect(dialog).toBeHidden();
    const { words, title, path } = await page.evaluate(
      () => (window as unknown as { printed: { words: string; title: string; path: string } }).printed,
    );
    expect(words).toContain(cost);
    expect(title).toContain('ledger');
    expect(path).toMatch(/^\/print\/[\w-]{43}$/);
    expect(await page.locator('iframe').count()).toBe(0);
    expect((await page.request.get(new URL(path, page.url()).href)).status()).toBe(404);
  });
});
