import { join } from 'node:path';
import { getSpellings } from '#core/backup/secrets-test.ts';
import { startSecretService } from '../support/secret-service.ts';
import { startUpstream } from '../support/upstream.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';
import { filesWith } from './files-with.ts';
import { getHeap } from './heap.ts';

const key = 'sk-canary-4f7a9c1e5b8d2063-portico';

test('a key survives a restart in the keychain and appears nowhere in the data folder', async ({ launch, folder }) => {
  const upstream = await startUpstream();
  const keychain = await startSecretService(join(folder, 'keyring'));
  const env = { ...keychain.env, OPENAI_BASE_URL: upstream.env.OPENAI_BASE_URL ?? '' };
  const first = await launch({ env });
  // These are the embedded gateway's own keys, one for each billing account.
  await expect.poll(() => keychain.countItems()).toBe(2);
  await first.page.getByRole('button', { name: 'Add a provider key' }).click();
  await expect(first.page.getByText('Secret Service')).toBeVisible();
  const row = first.page.getByRole('listitem').filter({ hasText: 'OpenAI' }).first();
  await row.getByRole('button', { name: 'Add key' }).click();
  // Types by keyboard: Playwright's `fill` would leave the key in Playwright's own objects inside the page.
  await first.page.getByLabel('API key').focus();
  await first.page.keyboard.type(key);
  // Only the browser is searched. Its page is the same as Electron's, and the test's Electron crashes when a heap
  // snapshot is taken. While the key is being typed the heap must contain it, which proves that the search works.
  const searched = !first.main;
  if (searched) expect(await getHeap(first.page)).toContain(key);
  await first.page.keyboard.press('Enter');
  await expect(row).toContainText('Works');
  expect(await keychain.countItems()).toBe(3);
  // The field leaves the page before the browser and React release all memory that held it.
  const spellingsFound = async () => {
    const heap = await getHeap(first.page);
    return getSpellings(key).flatMap(([name, spelling]) => (heap.includes(spelling.toString()) ? [name] : []));
  };
  if (searched) await expect.poll(spellingsFound, { timeout: 20_000 }).toEqual([]);
  await first.page.evaluate(() => location.assign('#settings/privacy'));
  await expect(first.page.locator('[data-setting="Keychain"]')).toContainText('Available');
  await first.page.getByRole('button', { name: 'Run the test' }).click();
  await expect(first.page.getByText(/Kept in: Secret Service\. Not found in \d+ files/)).toBeVisible();
  expect(await keychain.countItems()).toBe(3);
  await first.close();
  expect(await filesWith(first.dataFolder, key)).toEqual([]);

  const again = await launch({ env, dataFolder: first.dataFolder });
  const { page } = again;
  await chooseModel(page, 'GPT-5');
  await ask(page, 'Still there?');
  await ended(articles(page).nth(1));
  await expect(articles(page).nth(1)).toContainText(upstream.answer);
  expect(await page.content()).not.toContain(key);
  // The app is closed first: Chromium ends a program whose session bus goes away.
  await again.close();
  await keychain.stop();
  await upstream.stop();
});
