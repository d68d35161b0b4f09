import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { startSecretService } from '../support/secret-service.ts';
import { startUpstream } from '../support/upstream.ts';
import { expect, test } from './app.ts';
import { filesWith } from './files-with.ts';

const key = 'sk-canary-4f7a9c1e5b8d2063-portico';

test('without a keychain, or with a locked one, the page shows that and a key is gone after the session', async ({
  launch,
  folder,
}) => {
  const upstream = await startUpstream();
  const without = { OPENAI_BASE_URL: upstream.env.OPENAI_BASE_URL ?? '' };
  const first = await launch({ env: without });
  await first.page.getByRole('button', { name: 'Add a provider key' }).click();
  await addKeyForSession(first.page, async () => {
    await expect(first.page.getByText(/no keychain/i)).toBeVisible();
  });
  await first.close();
  expect(await filesWith(first.dataFolder, key)).toEqual([]);

  const keychain = await startSecretService(join(folder, 'keyring'), { locked: true });
  const again = await launch({ env: { ...keychain.env, ...without }, dataFolder: first.dataFolder });
  await again.page.getByRole('link', { name: 'Settings', exact: true }).click();
  await addKeyForSession(again.page, async (row) => {
    await expect(row).toContainText('Not set');
  });
  await expectKeychainUnavailable(again.page, /Locked|Not available/);
  await again.close();
  expect(await filesWith(again.dataFolder, key)).toEqual([]);
  await keychain.stop();
  await upstream.stop();
});

test('with a keychain that hangs, the app starts, shows that, and keeps a key for the session only', async ({
  launch,
  folder,
}) => {
  const upstream = await startUpstream();
  const keychain = await startSecretService(join(folder, 'keyring'));
  keychain.hang();
  const app = await launch({ env: { ...keychain.env, OPENAI_BASE_URL: upstream.env.OPENAI_BASE_URL ?? '' } });
  await app.page.getByRole('button', { name: 'Add a provider key' }).click();
  await addKeyForSession(app.page);
  await expectKeychainUnavailable(app.page, 'does not answer: unlock it and try again');
  await app.close();
  expect(await filesWith(app.dataFolder, key)).toEqual([]);
  await keychain.stop();
  await upstream.stop();
});

/** Adds a key in the settings. `inspect` sees the provider's row before that. */
async function addKeyForSession(page: Page, inspect: (row: Locator) => Promise<void> = async () => {}): Promise<void> {
  const row = page.getByRole('listitem').filter({ hasText: 'OpenAI' }).first();
  await inspect(row);
  await row.getByRole('button', { name: 'Add key' }).click();
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await expect(row).toContainText('Works');
  await expect(row).toContainText('session');
}

async function expectKeychainUnavailable(page: Page, words: string | RegExp): Promise<void> {
  await page.evaluate(() => location.assign('#settings/privacy'));
  await expect(page.locator('[data-setting="Keychain"]')).toContainText(/Locked|Not available/);
  await expect(page.getByText(words).first()).toBeVisible();
  await page.getByRole('button', { name: 'Run the test' }).click();
  await expect(page.getByText(/Kept in memory, for this session only\. Not found in \d+ files/)).toBeVisible();
}
