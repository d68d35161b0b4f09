import type { Page } from '@playwright/test';
import { loadedBytes, measureFirstLoad } from '../support/first-load.ts';
import { expect, test } from './app.ts';
import { articles, ask, ended, message, newChat } from './chat.ts';

test.describe.configure({ mode: 'default' });

const views = ['#chats', '#models', '#usage', '#credits', '#account', '#settings/tools', '#settings/data', '#chat'];

/** The rest is loaded after two seconds at the latest (use-settled.ts): on a busy machine also before anything is shown. */
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

/** Answers requests for this only when the returned function is called. */
async function hold(page: Page, url: RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

test('what is loaded before the composer can be used is small, and no view offends the policy of the page', async ({
  launch,
}) => {
  const { page } = await launch();
  const refused: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') refused.push(message.text());
  });
  await page.exposeFunction('refusedByPolicy', (what: string) => refused.push(what));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, sample }) =>
      (window as unknown as { refusedByPolicy: (what: string) => void }).refusedByPolicy(
        `${violatedDirective} ${sample}`,
      ),
    );
  });
  // A page that is loaded again before it has its session gets none.
  await message(page).waitFor();
  const bytes = await firstLoadInTime(page, 'composer');
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(250_000);
  // The views, when there is time.
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

test('a start in a chat loads what shows its messages, and no other view before', async ({ app: { page } }) => {
  await newChat(page);
  await ask(page, 'What is a portico?');
  await ended(articles(page).nth(1));
  // With the parser of Markdown, two fonts and, where it comes in time, the list of chats.
  expect(await firstLoadInTime(page, 'messages')).toBeLessThanOrEqual(428_000);
});

test('a view whose code does not arrive says so and opens when it can be had', async ({ app: { page } }) => {
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
  // To open it again is to try again: that has failed, too, before its code can be had.
  await expect(alert).toContainText('Usage could not be shown');
  await page.unroute(/\/assets\/usage-page-/);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Usage' })).toBeVisible();
});

test('the search of all chats has the focus also when its page comes late', async ({ app: { page } }) => {
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
