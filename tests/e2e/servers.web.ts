import type { Locator, Page } from '@playwright/test';
import { startUpstream } from '../support/upstream.ts';
import { expectNoFaultInEither } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, ended, newChat } from './chat.ts';

test.describe.configure({ mode: 'default' });
test.use({ starts: ({ upstream }, use) => use({ env: { OPENAI_BASE_URL: upstream.env.OPENAI_BASE_URL ?? '' } }) });

async function openProviders(page: Page) {
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Providers & keys' }).click();
  await expect(page.getByRole('heading', { name: 'Providers & keys' })).toBeVisible();
}

/** Expects a page without faults, in light and dark, and without parts that stick out in a narrow window. */
async function expectGood(page: Page, view: string) {
  await expectNoFaultInEither(page, view);
  const wide = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.setViewportSize({ width: 400, height: 800 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
  await page.setViewportSize(wide);
}

/** Fills in everything except the name: the address, the key and a model that the server doesn't list. */
async function fillServer(form: Locator, baseUrl = ''): Promise<void> {
  await form.getByLabel('Base URL').fill(baseUrl);
  await form.getByLabel('API key').fill('key-of-the-cellar-0123');
  await form.getByRole('button', { name: 'Add a model' }).press('Enter');
  await form.getByLabel('Model 1', { exact: true }).fill('house-model');
}

test('keys entered in Settings are checked, used, reordered and removed, and only their ends are shown', async ({
  app: { page },
  upstream,
}) => {
  const first = 'sk-first-of-several-0123456789abcd';
  await page.getByRole('button', { name: 'Add a provider key' }).click();
  const row = page.getByRole('listitem', { name: 'OpenAI', exact: true });
  await row.getByRole('button', { name: 'Add key' }).click();
  await row.getByLabel('API key').fill(first);
  await page.keyboard.press('Enter');
  await expect(row).toContainText('Works');
  await expect(row).toContainText('abcd');
  await expect.poll(() => page.content()).not.toContain(first);
  await newChat(page, 'GPT-5');
  await ask(page, 'Hello');
  await ended(articles(page).nth(1));
  await expect(articles(page).nth(1)).toContainText(upstream.answer);

  await openProviders(page);
  await row.getByRole('button', { name: 'Add another key (OpenAI)' }).press('Enter');
  await row.getByLabel('Label').fill('Spare');
  await row.getByLabel('API key').fill('sk-second-of-several-bbbb');
  await page.keyboard.press('Enter');
  const keys = row.getByRole('list', { name: 'Keys of OpenAI' }).getByRole('listitem');
  await expect(keys).toHaveText([/Key 1.*abcd.*Works/, /Spare.*bbbb.*Works/]);
  await expectGood(page, 'several-keys');
  await row.getByRole('button', { name: 'Move Spare up' }).press('Enter');
  await expect(keys).toHaveText([/Spare/, /Key 1/]);
  await row.getByRole('button', { name: 'Remove Key 1' }).press('Enter');
  await expect(keys).toHaveCount(0);
  await expect(row).toContainText('bbbb');
  expect(await page.content()).not.toContain('of-several');
});

test('a server with its own name is added by keyboard, tested, used for new chats in one step, changed and removed', async ({
  app: { page },
  upstream,
}) => {
  await openProviders(page);
  await page.getByRole('button', { name: 'Add a server' }).press('Enter');
  const form = page.getByRole('form', { name: 'Add a server' });
  await expect(form.getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.type('The cellar');
  await fillServer(form, upstream.env.OPENAI_BASE_URL);
  await form.getByLabel('$/M in').fill('1000');
  await form.getByLabel('$/M out').fill('2000');
  await form.getByRole('button', { name: 'Add a header' }).press('Enter');
  await form.getByLabel('Header 1', { exact: true }).fill('x-tenant');
  await form.getByLabel('Value 1', { exact: true }).fill('blue-canary');
  await expectGood(page, 'server-form');
  await form.getByLabel('Value 1', { exact: true }).press('Enter');
  const row = page.getByRole('listitem', { name: 'The cellar' });
  await expect(row).toContainText('Works');
  await expect(row).toContainText('0123');
  const use = row.getByRole('button', { name: /^Use .* for new chats$/ });
  await use.press('Enter');
  await expect(row.getByText(/^New chats start with/)).toBeVisible();
  expect(await page.content()).not.toMatch(/key-of-the-cellar|blue-canary/);
  await row.getByRole('button', { name: 'Edit (The cellar)' }).press('Enter');
  const editing = page.getByRole('form', { name: 'Edit (The cellar)' });
  await expect(editing.getByLabel('Value 1', { exact: true })).toHaveValue('');
  await editing.getByLabel('Name', { exact: true }).fill('The attic');
  await editing.getByLabel('Name', { exact: true }).press('Enter');
  const renamed = page.getByRole('listitem', { name: 'The attic' });
  await expect(renamed).toContainText('Works');
  await page.getByRole('button', { name: 'New chat', exact: true }).click();
  await ask(page, 'How many columns?');
  await ended(articles(page).nth(1));
  await expect(articles(page).nth(1)).toContainText(upstream.answer);
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await renamed.getByRole('button', { name: 'Remove (The attic)' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(renamed).toBeHidden();
});

test("a server has the user's name for it wherever models, failures and settings name their provider", async ({
  app: { page },
}) => {
  const upstream = await startUpstream();
  await openProviders(page);
  await page.getByRole('button', { name: 'Add a server' }).press('Enter');
  const form = page.getByRole('form', { name: 'Add a server' });
  await form.getByLabel('Name', { exact: true }).fill('The cellar');
  await fillServer(form, upstream.env.OPENAI_BASE_URL);
  await form.getByRole('button', { name: 'Save' }).press('Enter');
  const row = page.getByRole('listitem', { name: 'The cellar' });
  await expect(row).toContainText('Works');

  await page.getByRole('link', { name: 'Models' }).click();
  await page.getByRole('searchbox').fill('the cellar');
  await expect(page.getByRole('row', { name: /house-model/ })).toContainText('The cellar');
  await page.getByRole('button', { name: 'New chat', exact: true }).click();
  await page.getByRole('combobox', { name: 'Model', exact: true }).click();
  await expect(page.getByRole('group', { name: 'The cellar' })).toBeVisible();
  await page.getByRole('option', { name: /house-model/ }).click();
  await upstream.stop();
  await ask(page, 'Is anybody there?');
  const card = articles(page).nth(1).getByRole('alert');
  await expect(card).toContainText('The cellar could not be reached');
  await expect(card).toContainText('house-model · The cellar');

  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('the cellar');
  await page.getByRole('option', { name: /^The cellar/ }).click();
  await row.getByRole('button', { name: 'Remove (The cellar)' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(row).toBeHidden();
  await page.goBack();
  await expect(card).toContainText('house-model · the-cellar');
});
