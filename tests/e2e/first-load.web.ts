import type { Page } from '@playwright/test';
import { loadedBytes, measureFirstLoad } from '../support/first-load.ts';
import { expect, test } from './app.ts';
import { articles, ask, ended, message, newChat } from './chat.ts';

test.describe.configure({ mode: 'default' });

const views = ['#chats', '#models', '#usage', '#credits', '#account', '#settings/tools', '#settings/data', '#chat'];

/**
 * Measures the first load again until it takes less than two seconds: then the rest of the app starts to load
 * (use-settled.ts), on a busy machine before anything is shown, and would be counted too.
 */
async function firstLoadInTime(page: Page, until: 'composer' | 'messages'): Promise<number> {
  let bytes = 0;
  const milliseconds = async () => {
    const load = await measureFirstLoad(page, until);
    bytes = load.bytes;
    return load.ms;
  };
  await expect.poll(milliseconds).toBeLessThan(2000);
  return bytes;
}

/** Holds requests to matching URLs back until the returned function is called. */
async function hold(page: Page, url: RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

test("little is loaded before the composer can be used, and no view violates the page's policy", async ({ launch }) => {
  const { page } = await launch();
  const refused: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') refused.push(message.text());
  });
  await page.exposeFunction('refusedByPolicy', (violation: string) => refused.push(violation));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, sample }) =>
      (window as unknown as { refusedByPolicy: (violation: string) => void }).refusedByPolicy(
        `${violatedDirective} ${sample}`,
      ),
    );
  });
  // The page has to have its session first: a page that is reloaded before gets none.
  await message(page).waitFor();
  const bytes = await firstLoadInTime(page, 'composer');
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(250_000);
  // The other views are loaded later, when the page is idle.
  await expect.poll(() => loadedBytes(page)).toBeGreaterThan(bytes + 100_000);
  for (const view of views) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, view);
    await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
    await expect(page.getByRole('alert')).toHaveCount(0);
  }
  expect(refused).toEqual([]);
});

test('starting in a chat loads what shows its messages, and no other view before that', async ({ app: { page } }) => {
  await newChat(page);
  await ask(page, 'What is a portico?');
  await ended(articles(page).nth(1));
  // This includes the Markdown parser, two fonts and, if it comes in time, the list of chats.
  expect(await firstLoadInTime(page, 'messages')).toBeLessThanOrEqual(428_000);
});

test('a view whose code fails to load shows an error and opens once the code is available', async ({
  app: { page },
}) => {
  await newChat(page);
  await page.route(/\/assets\/usage-page-/, (route) => route.abort());
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible();
  const open = (hash: string) =>
    page.evaluate((place) => {
      location.hash = place;
    }, hash);
  await open('#usage');
  const alert = page.getByRole('main').getByRole('alert');
  await expect(alert).toContainText('Usage could not be shown');
  await open('#models');
  await expect(page.getByRole('heading', { name: 'Models' })).toBeVisible();
  await open('#usage');
  // Opening the view again tries to load its code again, and fails again while it is still unavailable.
  await expect(alert).toContainText('Usage could not be shown');
  await page.unroute(/\/assets\/usage-page-/);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Usage' })).toBeVisible();
});

test('the search of all chats gets the focus even when its page loads late', async ({ app: { page } }) => {
  await newChat(page);
  const release = await hold(page, /\/assets\/chats-page-/);
  await page.reload();
  await expect(message(page)).toBeFocused();
  await page.keyboard.press('ControlOrMeta+Shift+f');
  await expect(page.getByRole('main')).toBeFocused();
  release();
  await expect(page.getByRole('searchbox', { name: 'Search all chats' })).toBeFocused();
});

test('a press that begins before the model list is loaded opens it, and it stays open', async ({ app: { page } }) => {
  await newChat(page);
  await message(page).fill('');
  const release = await hold(page, /\/assets\/model-picker-/);
  await page.reload();
  const button = page.getByRole('combobox', { name: 'Model', exact: true });
  await expect(message(page)).toBeFocused();
  await button.hover();
  const before = await button.elementHandle();
  await page.mouse.down();
  release();
  await expect.poll(() => before?.evaluate((element) => element.isConnected)).toBe(false);
  await page.mouse.up();
  await page.keyboard.type('Sandbox');
  await expect(page.getByRole('option').first()).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('');
});
