import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, openChat } from './chat.ts';

test('an unsent wording of a message is open again after the app was closed in the middle of it', async ({
  launch,
}) => {
  const first = await launch();
  await first.page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(first.page, 'Sandbox Echo');
  await ask(first.page, 'first wording');
  await ended(articles(first.page).nth(1));
  await first.page.getByRole('log', { name: 'Conversation' }).focus();
  await articles(first.page).first().hover();
  await articles(first.page).first().getByRole('button', { name: 'Edit message' }).click();
  const field = first.page.getByRole('textbox', { name: 'New wording' });
  await field.fill('a wording that is not sent');
  await first.leave();

  const { page } = await launch({ dataFolder: first.dataFolder });
  await openChat(page, /first wording/);
  const again = page.getByRole('textbox', { name: 'New wording' });
  await expect(again).toHaveValue('a wording that is not sent');
  await again.press('Enter');
  await expect(articles(page).nth(1)).toContainText('a wording that is not sent');
  await ended(articles(page).nth(1));
  await page.reload();
  await openChat(page, /first wording/);
  await expect(articles(page).nth(1)).toContainText('a wording that is not sent');
  await expect(again).toHaveCount(0);
});
