import { expect, test } from './app.ts';
import { articles, chooseModel, ended, message } from './chat.ts';

test('a first answer, a look at its cost and a new chat need no mouse', async ({ launch }) => {
  const { page } = await launch();
  const tryIt = page.getByRole('button', { name: 'Try it now' });
  await expect(tryIt).toBeVisible();
  for (
    let presses = 0;
    presses < 30 && !(await tryIt.evaluate((element) => element === document.activeElement));
    presses++
  ) {
    await page.keyboard.press('Tab');
  }
  await expect(tryIt).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(message(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await ended(articles(page).nth(1));
  await page.keyboard.press('ControlOrMeta+k');
  await expect(page.getByRole('combobox', { name: 'Search chats, models and commands' })).toBeFocused();
  await page.keyboard.type('credits');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Credits' })).toBeVisible();
  await page.keyboard.press('ControlOrMeta+Shift+o');
  await expect(message(page)).toBeFocused();
});

test('Enter sends, Shift+Enter breaks the line, Escape stops', async ({ launch }) => {
  const { page } = await launch();
  await page.getByRole('button', { name: 'Try it now' }).click();
  // There is time to stop it.
  await chooseModel(page, 'Sandbox Slow');
  const field = message(page);
  await field.fill('one');
  await field.press('Shift+Enter');
  await page.keyboard.type('two');
  await expect(field).toHaveValue('one\ntwo');
  await page.keyboard.press('Enter');
  await expect(articles(page).first()).toContainText('one');
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  await page.keyboard.press('Escape');
  await ended(articles(page).nth(1));
});
