import type { Page } from '@playwright/test';
import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { seeded } from './seeded.ts';

const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Chats', exact: true });
const listed = (page: Page) => page.getByRole('main').getByRole('listitem');
const folder = (page: Page, name: string) => sidebar(page).getByRole('button', { name: new RegExp(`^${name}, `) });

test('thousands of chats stay usable: moved to a folder and trashed by mouse; found, tagged and archived by keyboard', async ({
  launch,
  folder: place,
}) => {
  const { page } = await launch({ dataFolder: await seeded(place, 2000, 4000) });
  const rows = sidebar(page).getByRole('link');
  await expect(rows.first()).toBeVisible();
  expect(await rows.count()).toBeLessThan(120);
  await expectNoFault(page, 'sidebar');

  const recent = sidebar(page).getByRole('heading', { name: 'Folders' });
  await expect(recent).toBeVisible();
  const chat = sidebar(page).getByRole('link').first();
  const title = (await chat.textContent()) ?? '';
  const before = Number((await folder(page, 'Home').textContent())?.replace(/\D/g, ''));
  await chat.dragTo(folder(page, 'Home'));
  await expect(page.getByText('1 chat moved to "Home"')).toBeVisible();
  await expect(folder(page, 'Home')).toContainText(String(before + 1));
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(folder(page, 'Home')).toContainText(String(before));

  const again = sidebar(page).getByRole('link', { name: title, exact: true }).first();
  await again.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Move to trash' }).click();
  await expect(page.getByText('1 chat moved to the trash')).toBeVisible();
  await page.getByRole('link', { name: 'All chats' }).click();
  await page.getByRole('button', { name: 'Trash', exact: true }).click();
  await expect(listed(page)).toHaveCount(1);
  await expectNoFault(page, 'trash');
  await page.getByRole('button', { name: 'Empty trash' }).click();
  await expectNoFault(page, 'empty the trash');
  await page.getByRole('dialog').getByRole('button', { name: 'Empty trash' }).click();
  await expect(page.getByText('The trash is empty.')).toBeVisible();

  await page.keyboard.press('ControlOrMeta+Shift+f');
  const field = page.getByRole('searchbox', { name: 'Search all chats' });
  await expect(field).toBeFocused();
  await page.keyboard.type('the role:assistant');
  await expect(listed(page).first()).toContainText('Answer:');
  await expect(page.locator('mark').first()).toHaveText(/the/i);
  await expectNoFault(page, 'search');

  await field.fill('');
  await page.keyboard.type('folder:nowhere');
  await expect(page.getByText('There is no folder "nowhere".')).toBeVisible();
  await field.fill('');
  await expect(listed(page).first().getByRole('link')).toBeVisible();
  await expect(page.locator('mark')).toHaveCount(0);

  await listed(page).first().getByRole('checkbox').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  await expect(listed(page).nth(1).getByRole('link')).toBeFocused();
  await page.keyboard.press('Space');
  await expect(page.getByRole('toolbar')).toContainText('2 chats selected');
  await expectNoFault(page, 'selection');
  const tagged = await listed(page).first().locator('.font-medium').first().textContent();
  await page.getByRole('button', { name: 'Tags…' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('urgent, my island');
  await page.keyboard.press('Enter');
  await expect(listed(page).first()).toContainText('#my island');
  await expect(page.getByRole('dialog', { name: 'Tags', exact: true })).toBeHidden();

  await page.getByRole('button', { name: 'Archive', exact: true }).last().focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('2 chats archived')).toBeVisible();
  await expect(listed(page).first()).not.toContainText('#my island');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(listed(page).first()).toContainText('#my island');

  await field.focus();
  await page.keyboard.type('tag:"my island"');
  // The first letters may match two chats.
  await expect(listed(page)).toContainText(['#my island', '#my island']);
  await page.keyboard.press('Tab');
  await listed(page).first().getByRole('link').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(tagged ?? '');
});
