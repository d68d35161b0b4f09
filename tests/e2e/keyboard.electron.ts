import { expect, test } from './app.ts';
import { articles, ended, message } from './chat.ts';

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
