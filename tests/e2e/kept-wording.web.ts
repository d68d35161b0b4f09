import type { Locator } from '@playwright/test';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, duplicated, ended, openChat } from './chat.ts';
import { stored } from './stored.ts';

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

test('wordings of one message that two windows write are put together, and neither is lost', async ({ launch }) => {
  const { page, dataFolder } = await launch();
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Echo');
  await ask(page, 'Count the columns');
  await ended(articles(page).nth(1));
  const second = await duplicated(page);
  await openChat(second, /Count the columns/);
  const fields = [page, second].map((each) => each.getByRole('textbox', { name: 'New wording' })) as [Locator, Locator];
  for (const each of [page, second]) {
    await articles(each).first().hover();
    await articles(each).first().getByRole('button', { name: 'Edit message' }).click();
  }
  const kept = () => stored<{ text: string }>(dataFolder, `select text from drafts where chat like 'edit:%'`);
  await fields[0].fill('Count the columns and the steps');
  await expect.poll(kept).toEqual([{ text: 'Count the columns and the steps' }]);
  await fields[1].fill('Count the columns twice');
  await expect(fields[1]).toHaveValue('Count the columns and the steps twice');
  await expect.poll(kept).toEqual([{ text: 'Count the columns and the steps twice' }]);
  await fields[0].press('Escape');
  await second.reload();
  await openChat(second, /Count the columns/);
  await expect(fields[1]).toHaveValue('Count the columns and the steps twice');
});
