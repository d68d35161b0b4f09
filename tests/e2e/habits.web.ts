import type { Page } from '@playwright/test';
import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, ended, message, newChat, openChat } from './chat.ts';
import { getBalance } from './money.ts';

/** What people expect after using another chat app every day. */
test.describe.configure({ mode: 'default' });

const chats = (page: Page) => page.getByRole('navigation', { name: 'Chats' });

async function askAndWait(page: Page, words: string): Promise<void> {
  await ask(page, words);
  await ended(articles(page).last());
}

test('a temporary chat is marked and in no list, can be restored for a minute after it was left, and can be kept', async ({
  app: { page },
}) => {
  await newChat(page, 'Sandbox Echo');
  await message(page).fill('not for the list');
  await page.getByRole('button', { name: 'Temporary chat' }).click();
  await expect(page.getByRole('heading', { name: 'Temporary chat', level: 2 })).toBeVisible();
  await expect(message(page)).toHaveValue('not for the list');
  await expectNoFault(page, 'a new temporary chat');
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Temporary chat', level: 2 })).toBeVisible();
  const before = await getBalance(page);
  await page.getByRole('button', { name: 'Send' }).click();
  await ended(articles(page).last());
  await expect(page.getByText('Temporary', { exact: true })).toBeVisible();
  await expectNoFault(page, 'a temporary chat');
  await expect(chats(page)).not.toContainText('not for the list');
  expect(await getBalance(page)).toBeLessThan(before);
  await page.getByRole('link', { name: 'Models' }).click();
  await page.goBack();
  await expect(articles(page)).toHaveCount(2);

  await page.keyboard.press('ControlOrMeta+Shift+o');
  await expect(page.getByText('The temporary chat is deleted in a minute')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(articles(page)).toHaveCount(2);
  await page.getByRole('button', { name: 'Keep this chat' }).click();
  await expect(chats(page)).toContainText('not for the list');
  await expect(page.getByText('Temporary', { exact: true })).toHaveCount(0);
});

test('a temporary chat that is deleted at once is gone', async ({ app: { page } }) => {
  await newChat(page, 'Sandbox Echo');
  await page.getByRole('button', { name: 'Temporary chat' }).click();
  await askAndWait(page, 'burn this');
  const address = page.url();
  await page.getByRole('button', { name: 'Chat actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete now' }).click();
  await expect(articles(page)).toHaveCount(0);
  await askAndWait(page, 'what comes after it');
  await expect(page.getByText('The temporary chat is deleted in a minute')).toHaveCount(0);
  await page.goto(address);
  await page.reload();
  await expect(page.getByRole('alert')).toContainText('Could not read this conversation');
});

test('a chat is forked from a message and continues on its own without counting its costs again', async ({
  app: { page },
}) => {
  await newChat(page, 'Sandbox Echo');
  await askAndWait(page, 'fork here');
  await askAndWait(page, 'not this one');
  const cost = await articles(page).nth(1).locator('footer').textContent();
  await articles(page).nth(1).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Fork from here' }).click();
  await expect(articles(page)).toHaveCount(2);
  await expect(page.getByText('This is a copy')).toBeVisible();
  await expect(chats(page).getByRole('link', { name: 'fork here' })).toHaveCount(2);
  await expect(articles(page).nth(1).locator('footer')).toHaveText(cost ?? '');
  await askAndWait(page, 'another way');
  await page.goBack();
  await expect(articles(page)).toHaveCount(4);
  await expect(articles(page).nth(2)).toContainText('not this one');
});

test('undo restores the draft after an example, in another chat and after a long paste', async ({ app: { page } }) => {
  await newChat(page, 'Sandbox Echo');
  await message(page).pressSequentially('a careful draft');
  await page.getByRole('button', { name: 'Plan a migration' }).click();
  await expect(message(page)).toHaveValue(/^Plan a migration/);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(message(page)).toHaveValue('a careful draft');
  await openChat(page, 'not for the list');
  await expect(message(page)).toHaveValue('');
  await page.keyboard.press('ControlOrMeta+Shift+o');
  await expect(message(page)).toHaveValue('a careful draft');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(message(page)).toHaveValue('a careful ');
  await page.keyboard.press('ControlOrMeta+Shift+z');
  await expect(message(page)).toHaveValue('a careful draft');

  const paste = (words: string) =>
    message(page).evaluate((field, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', text);
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, words);
  const line = 'a line of a log\n';
  const files = page.getByRole('list', { name: 'Attached files' });
  await paste(line.repeat(120));
  await expect(files).toContainText('Pasted text.txt');
  await expect(message(page)).toHaveValue('a careful draft');
  await expectNoFault(page, 'a long paste');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(files).toHaveCount(0);
  await expect(message(page)).toHaveValue(`a careful draft${line.repeat(120)}`);
  await page.getByRole('button', { name: 'Attach it as a file' }).click();
  await expect(files).toContainText('Pasted text.txt');
  await expect(message(page)).toHaveValue('a careful draft');
  await page.getByRole('button', { name: 'Send' }).click();
  await ended(articles(page).last());
  await expect(articles(page).first()).toContainText('Pasted text.txt');
  await message(page).press('ControlOrMeta+z');
  await expect(message(page)).toHaveValue('');
});

test('a toast covers neither the composer nor the header, nor the messages in a narrow window', async ({
  app: { page },
}) => {
  await newChat(page, 'Sandbox Echo');
  await askAndWait(page, 'to be deleted');
  for (const width of [1440, 1280, 420]) {
    await page.setViewportSize({ width, height: 800 });
    const own = articles(page).first();
    await own.hover();
    await own.getByRole('button', { name: 'Delete message' }).click();
    const toast = page.getByRole('dialog').filter({ hasText: 'deleted' });
    await expect(toast).toBeVisible();
    const box = await toast.boundingBox();
    const field = await message(page).boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(field?.y ?? 0);
    expect(box?.y).toBeGreaterThan(43);
    if (width < 640) {
      const read = await page.getByRole('log').boundingBox();
      expect(read?.y).toBeGreaterThanOrEqual((box?.y ?? 0) + (box?.height ?? 0));
    }
    await toast.getByRole('button', { name: 'Undo' }).click();
    await expect(articles(page)).toHaveCount(2);
  }
  // The window is narrow now, and another page makes space for the same toast, too.
  const own = articles(page).first();
  await own.hover();
  await own.getByRole('button', { name: 'Delete message' }).click();
  const toast = page.getByRole('dialog').filter({ hasText: 'deleted' });
  await expect(toast).toBeVisible();
  await page.evaluate(() => {
    location.hash = '#chats';
  });
  await expect(async () => {
    const search = await page.getByRole('searchbox', { name: 'Search all chats' }).boundingBox();
    const box = await toast.boundingBox();
    expect(search?.y).toBeGreaterThanOrEqual((box?.y ?? 800) + (box?.height ?? 0));
  }).toPass();
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('a theme change applies immediately, also to coloured code, diagrams and open menus', async ({
  app: { page },
}) => {
  await newChat(page, 'Sandbox Echo');
  await askAndWait(page, '```ts\nconst a = 1;\n```\n\n```mermaid\nflowchart LR\n  a --> b\n```');
  await expect(articles(page).last().getByRole('img')).toBeVisible();
  const getColours = () =>
    page.evaluate(() => ({
      word: getComputedStyle(document.querySelector('.tok-keyword') as Element).color,
      picture: document.querySelector('.diagram-scroll img')?.getAttribute('src'),
      menu: getComputedStyle(document.querySelector('[role="menu"]') as Element).backgroundColor,
    }));
  await page.getByRole('button', { name: 'Chat actions' }).click();
  await page.emulateMedia({ colorScheme: 'light' });
  await expect(page.getByRole('menu')).toBeVisible();
  const light = await getColours();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(async () => (await getColours()).picture).not.toBe(light.picture);
  const dark = await getColours();
  expect(dark.word).not.toBe(light.word);
  expect(dark.menu).not.toBe(light.menu);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.keyboard.press('Escape');
});
