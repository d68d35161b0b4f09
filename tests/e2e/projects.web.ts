import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, ended, message, openChat } from './chat.ts';

test('a folder becomes a project: its chats share settings that are set once, and new chats start with them', async ({
  launch,
}) => {
  const first = await launch();
  const { page } = first;
  await page.getByRole('button', { name: 'Try it now' }).click();
  await ask(page, 'A chat to begin with');
  await ended(articles(page).nth(1));
  await page.getByRole('link', { name: 'A chat to begin with' }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Move to folder…' }).click();
  await page.getByRole('textbox', { name: 'New folder' }).fill('Thesis');
  await page.keyboard.press('Enter');
  const folder = page.getByRole('button', { name: /^Thesis, / });
  await folder.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Project settings…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Project: Thesis' });
  await dialog.getByRole('textbox', { name: 'Instructions' }).fill('Always name a source.');
  await dialog.getByRole('combobox', { name: 'Model of new chats' }).selectOption({ label: 'Sandbox Echo' });
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('The deadline is in May.') });
  await expect(dialog.getByRole('list', { name: 'Attached files' })).toContainText('notes.txt');
  await expect(dialog.locator('button[type=submit]')).toBeEnabled();
  await expectNoFault(page, 'a project');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();

  await folder.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'New chat here' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'New chat in Thesis' })).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Model', exact: true })).toContainText('Sandbox Echo');
  await message(page).fill('When is it due?');
  await page.getByRole('button', { name: 'Send' }).click();
  await ended(articles(page).nth(1));
  await page.getByRole('main').getByRole('button', { name: 'Project: Thesis' }).click();
  await expect(dialog.getByRole('textbox', { name: 'Instructions' })).toHaveValue('Always name a source.');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Thesis, 2 chats' })).toBeVisible();
  await first.kill();

  const { page: again } = await launch({ dataFolder: first.dataFolder });
  await again.getByRole('button', { name: 'Thesis, 2 chats' }).click();
  await openChat(again, /When is it due/);
  await again.getByRole('button', { name: /^Thesis, / }).click({ button: 'right' });
  await again.getByRole('menuitem', { name: 'Project settings…' }).click();
  await expect(again.getByRole('textbox', { name: 'Instructions' })).toHaveValue('Always name a source.');
});
