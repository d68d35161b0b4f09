import { join } from 'node:path';
import { getSpellings } from '#core/backup/secrets-test.ts';
import { startSecretService } from '../support/secret-service.ts';
import { startUpstream } from '../support/upstream.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';
import { filesWith } from './files-with.ts';
import { getHeap } from './heap.ts';

const key = 'sk-canary-4f7a9c1e5b8d2063-portico';

test('with a keychain a key outlives the app, lies in the keychain, and nowhere in the data folder', async ({
  launch,
  folder,
}) => {
  const upstream = await startUpstream();
  const keychain = await startSecretService(join(folder, 'keyring'));
  const env = { ...keychain.env, OPENAI_BASE_URL: upstream.env.OPENAI_BASE_URL ?? '' };
  const first = await launch({ env });
  // The embedded gateway's own keys, one for each wallet.
  await expect.poll(() => keychain.countItems()).toBe(2);
  await first.page.getByRole('button', { name: 'Add a provider key' }).click();
  await expect(first.page.getByText('Secret Service')).toBeVisible();
  const row = first.page.getByRole('listitem').filter({ hasText: 'OpenAI' }).first();
  await row.getByRole('button', { name: 'Add key' }).click();
  // By the keyboard: what a page is told to fill in stays in Playwright’s own part of it.
  await first.page.getByLabel('API key').focus();
  await first.page.keyboard.type(key);
  // In the browser, whose page is the window's: the Electron of the tests ends when it is asked for a snapshot. While the key is being
  // typed, the window cannot but have it: the search finds what there is.
  const searched = !first.main;
  if (searched) expect(await getHeap(first.page)).toContain(key);
  await first.page.keyboard.press('Enter');
  await expect(row).toContainText('Works');
  expect(await keychain.countItems()).toBe(3);
  // The field is out of the page before the browser and React let go of all of its memory.
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
  // Chromium ends a program whose session bus goes away.
  await again.close();
  await keychain.stop();
  await upstream.stop();
});
