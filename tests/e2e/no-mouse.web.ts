import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from '@playwright/test';
import { answering } from './answer.ts';
import { expect, test } from './app.ts';
import { press, reach } from './by-tab.ts';
import { articles, ended, message, newChat, searchingModels } from './chat.ts';

/** Setup, import and export for a person without a mouse: every control is reached with Tab. */
const greeter = fileURLToPath(new URL('../support/mcp/greeter.ts', import.meta.url));
async function type(page: Page, target: Locator, words: string): Promise<void> {
  await reach(page, target);
  await page.keyboard.type(words);
}

/** Chooses a radio button: Tab reaches the group, arrow keys the button. */
async function choose(page: Page, option: Locator): Promise<void> {
  await reach(page, option.locator('..'));
  for (let presses = 0; presses < 10; presses++) {
    if (await option.evaluate((element) => element === document.activeElement)) break;
    await page.keyboard.press('ArrowRight');
  }
  await page.keyboard.press('Space');
  await expect(option).toHaveAttribute('aria-pressed', 'true');
}

async function settings(page: Page, section: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+,');
  await press(page, page.getByRole('link', { name: section, exact: true }));
}

/** Returns the content of the file that the browser downloads. */
async function saved(page: Page, path: string, act: () => Promise<void>): Promise<string> {
  const saving = page.waitForEvent('download');
  await act();
  await (await saving).saveAs(path);
  return readFile(path, 'utf8');
}

test('without a mouse, a tool server is set up, chats are imported and exported, and code is copied', async ({
  launch,
  folder,
}) => {
  const app = await launch();
  const { page } = app;
  await press(page, page.getByRole('button', { name: 'Try it now' }));
  await test.step('a tool server is set up, reviewed and switched on', async () => {
    await settings(page, 'Tools');
    await press(page, page.getByRole('switch', { name: 'Calculator' }), 'Space');
    await expect(page.getByRole('switch', { name: 'Calculator' })).toBeChecked();
    await press(page, page.getByRole('button', { name: 'Add server' }));
    const form = page.getByRole('dialog', { name: 'Add a tool server' });
    await type(page, form.getByLabel('Name', { exact: true }), 'Greeter');
    await type(page, form.getByLabel('Command'), process.execPath);
    await type(page, form.getByLabel('Arguments'), greeter);
    await press(page, form.getByRole('button', { name: 'Save' }));
    await expect(form).toBeHidden();
    const uses = page.getByRole('switch', { name: 'Use the tools of Greeter' });
    await answering(app, 'Start it', () => press(page, uses, 'Space'));
    const confirmation = page.getByRole('dialog', { name: 'Switch on Greeter?' });
    await expect(confirmation).toContainText('Greets somebody');
    await press(page, confirmation.getByRole('button', { name: 'Switch on' }));
    await expect(uses).toBeChecked();
  });
  await test.step('chats are imported, backed up, and exported with their costs', async () => {
    await newChat(page);
    await reach(page, message(page));
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('How does the ledger work?');
    await page.keyboard.press('Enter');
    const answer = articles(page).nth(1);
    await ended(answer);
    const cost = /\$[\d.]+/.exec((await answer.locator('footer').textContent()) ?? '')?.[0] ?? 'no cost';

    await press(page, page.getByRole('button', { name: 'Chat actions' }));
    await expect(page.getByRole('menuitem', { name: 'Export…' })).toBeVisible();
    await page.keyboard.type('Exp');
    await expect(page.getByRole('menuitem', { name: 'Export…' })).toBeFocused();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Export 1 chat' });
    await choose(page, dialog.getByRole('button', { name: 'JSON', exact: true }));
    const file = join(folder, 'chat.json');
    const words = await saved(page, file, () =>
      press(page, dialog.getByRole('button', { name: 'Export', exact: true })),
    );
    expect(words).toContain(`"costUsd":"${cost.slice(1)}"`);
    await expect(dialog).toBeHidden();

    const exportedMessage = (role: string, text: string) => ({
      author: { role },
      content: { content_type: 'text', parts: [text] },
    });
    const mapping = {
      a: { id: 'a', parent: null, message: exportedMessage('user', 'How does an abacus work?') },
      b: { id: 'b', parent: 'a', message: exportedMessage('assistant', 'By beads.') },
    };
    await writeFile(
      file,
      JSON.stringify([{ id: 'g1', title: 'An old chat', create_time: 1, current_node: 'b', mapping }]),
    );
    await settings(page, 'Data & backup');
    const choosing = page.waitForEvent('filechooser');
    await press(page, page.getByRole('button', { name: 'Import chats…' }));
    await (await choosing).setFiles(file);
    const preview = page.getByRole('dialog', { name: '1 chat from ChatGPT' });
    await press(page, preview.getByRole('button', { name: 'Import 1 chat' }));
    await expect(preview).toBeHidden();
    await press(page, page.getByRole('button', { name: 'Back up now' }));
    await expect(page.getByRole('list', { name: 'Backups' }).getByRole('listitem')).toHaveCount(1);
    await page.keyboard.press('ControlOrMeta+Shift+f');
    await expect(page.getByRole('searchbox', { name: 'Search all chats' })).toBeFocused();
    await page.keyboard.type('abacus');
    // The list shows all chats until the search has its results.
    const found = page.getByRole('main').getByRole('listitem').filter({ hasText: 'abacus' });
    await press(page, found.first().getByRole('link'));
    await expect(articles(page).first()).toContainText('abacus');
  });
  await test.step('the code of an answer is wrapped and copied', async () => {
    await newChat(page);
    await reach(page, page.getByRole('combobox', { name: 'Model', exact: true }));
    await page.keyboard.press('Enter');
    await searchingModels(page);
    await page.keyboard.type('Sandbox Echo');
    await expect(page.getByRole('option', { name: 'Sandbox Echo' }).first()).toBeVisible();
    await page.keyboard.press('Enter');
    await reach(page, message(page));
    await page.keyboard.press('ControlOrMeta+a');
    for (const line of ['```js', 'const eight = 4 + 4;', '```']) {
      await page.keyboard.type(line);
      await page.keyboard.press('Shift+Enter');
    }
    await page.keyboard.press('Enter');
    const answer = articles(page).nth(1);
    await ended(answer);
    await reach(page, answer);
    const wrap = answer.getByRole('button', { name: 'Wrap lines' });
    await press(page, wrap);
    await expect(wrap).toHaveAttribute('aria-pressed', 'true');
    await press(page, answer.locator('.code-block').getByRole('button', { name: 'Copy' }));
    await expect(answer.locator('.code-block').getByRole('button', { name: 'Copied' })).toBeVisible();
  });
});
