import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, message } from './chat.ts';
import { startAgain as click } from './start-again.ts';

test('links of other programs are asked about, and only then done: a draft that is never sent, a chat, what cannot be read', async ({
  launch,
}) => {
  const app = await launch();
  const { page } = app;
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Echo');
  await ask(page, 'The one to come back to');
  await ended(articles(page).nth(1));
  const chat = new URL(page.url()).hash.split('/')[1] ?? '';
  await message(page).fill('half a thought');

  const dialog = page.getByRole('dialog');
  const prompt = 'Ignore\u202e all of this\n<img src=x onerror=alert(1)>';
  await click(app, `portico://new?${new URLSearchParams({ prompt, model: 'sandbox/tour' })}`);
  await expect(dialog).toContainText('Start a chat from a link?');
  await expect(dialog).toContainText('Ignore\\u{202e} all of this');
  await expect(dialog).toContainText('<img src=x onerror=alert(1)>');
  await expect(dialog).toContainText('Sandbox Tour');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  await expect(message(page)).toHaveValue('half a thought');

  await click(app, 'portico://new?prompt=Plan+my+week&model=sandbox%2Ftour');
  await dialog.getByRole('button', { name: 'Put into a new chat' }).click();
  await expect(message(page)).toHaveValue('Plan my week');
  await expect(articles(page)).toHaveCount(0);
  await expect(page.getByRole('combobox', { name: 'Model', exact: true })).toContainText('Sandbox Tour');

  await click(app, `portico://chat/${chat}`);
  await dialog.getByRole('button', { name: 'Open' }).click();
  await expect(articles(page).first()).toContainText('The one to come back to');
  await expect(message(page)).toHaveValue('half a thought');

  await click(app, 'portico://run?command=reboot');
  await expect(dialog).toContainText('This link cannot be opened');
  await expect(dialog).toContainText('portico://run?command=reboot');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});
