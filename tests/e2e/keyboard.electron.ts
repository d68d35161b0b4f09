import { expect, test } from './app.ts';
import { articles, ended, message } from './chat.ts';

test('a first answer, its cost and a new chat need no mouse, and menu items show their changed shortcuts', async ({
  launch,
}) => {
  const { page, main } = await launch();
  if (!main) throw new Error('This is a journey of the installed app');
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

  const item = (label: string) =>
    main.evaluate(({ Menu }, wanted) => {
      const all = Menu.getApplicationMenu()?.items.flatMap((menu) => menu.submenu?.items ?? []) ?? [];
      return all.find((item) => item.label === wanted)?.accelerator;
    }, label);
  expect(await item('Search all chats')).toBe('CommandOrControl+Shift+F');
  await main.evaluate(({ Menu }) => {
    const all = Menu.getApplicationMenu()?.items.flatMap((menu) => menu.submenu?.items ?? []) ?? [];
    all.find((item) => item.label === 'Keyboard shortcuts')?.click();
  });
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await sheet.getByRole('button', { name: 'Add a shortcut: Usage' }).click();
  await page.keyboard.press('Control+Shift+Y');
  await expect.poll(() => item('Usage')).toBe('CommandOrControl+Shift+Y');
});
