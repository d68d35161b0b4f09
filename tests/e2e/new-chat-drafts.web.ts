import type { Locator } from '@playwright/test';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, duplicated, ended, message, newChat, openChat } from './chat.ts';
import { stored } from './stored.ts';

test.describe.configure({ mode: 'default' });

test('two tabs have separate new chats, and the draft of each is there after a reload and after kill -9', async ({
  launch,
}) => {
  const first = await launch();
  const { dataFolder, page } = first;
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Echo');
  await message(page).fill('Of the first tab');
  const second = await duplicated(page);
  await expect(message(second)).toBeEditable();
  await message(second).pressSequentially('Of the second tab');
  const getDrafts = () => stored<{ text: string }>(dataFolder, 'select text from drafts order by text');
  await expect.poll(getDrafts).toEqual([{ text: 'Of the first tab' }, { text: 'Of the second tab' }]);
  await expect(message(page)).toHaveValue('Of the first tab');
  await page.getByRole('button', { name: 'Chat settings' }).click();
  await page.getByRole('textbox', { name: 'System prompt' }).fill('Be brief.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Chat settings (changed)' })).toBeVisible();
  await expect(second.getByRole('button', { name: 'Chat settings', exact: true })).toBeVisible();

  for (const [tab, words] of [
    [page, 'Of the first tab'],
    [second, 'Of the second tab'],
  ] as const) {
    await tab.reload();
    await expect(message(tab)).toHaveValue(words);
  }
  await ask(page, 'Sent from the first');
  await ended(articles(page).nth(1));
  await expect(message(second)).toHaveValue('Of the second tab');
  await page.keyboard.press('ControlOrMeta+Shift+o');
  await message(page).fill('Next of the first');
  await expect.poll(getDrafts).toEqual([{ text: 'Next of the first' }, { text: 'Of the second tab' }]);
  await first.kill();

  const again = await launch({ dataFolder });
  await expect(message(again.page)).toHaveValue('Next of the first');
  const other = await duplicated(again.page);
  await expect(message(other)).toHaveValue('Of the second tab');
  const third = await duplicated(again.page);
  await expect(message(third)).toBeEditable();
  await message(third).press('End');
  await expect(message(third)).toHaveValue('');
  await other.close();
  // The core notices a moment later that a tab is gone.
  await expect(async () => {
    await third.reload();
    await expect(message(third)).toHaveValue('Of the second tab', { timeout: 10_000 });
  }).toPass();
});

test('a chat open in two tabs has one draft, and what is typed in either tab appears in both', async ({
  app: { page },
}) => {
  await newChat(page, 'Sandbox Echo');
  await ask(page, 'Of two tabs');
  await ended(articles(page).nth(1));
  const second = await duplicated(page);
  await second.goto(page.url());
  await ended(articles(second).nth(1));

  await message(page).pressSequentially('First');
  await expect(message(second)).toHaveValue('First');
  await message(second).press('End');
  await message(second).pressSequentially(', second');
  await expect(message(page)).toHaveValue('First, second');
  await Promise.all([message(page).pressSequentially('aaaa'), message(second).pressSequentially('bbbb')]);
  await expect(message(page)).toHaveValue(/^First, second(?=(b*a){4}b*$)(?=(a*b){4}a*$)/);
  const both = await message(page).inputValue();
  await expect(message(second)).toHaveValue(both);

  // The second tab showed another chat in between.
  await second.keyboard.press('ControlOrMeta+Shift+o');
  await expect(articles(second)).toHaveCount(0);
  await message(page).fill('Typed meanwhile');
  await second.goBack();
  await expect(message(second)).toHaveValue('Typed meanwhile');

  await ask(second, 'Sent from the second');
  await ended(articles(page).nth(3));
  await expect(message(page)).toHaveValue('');
  await expect(message(second)).toHaveValue('');
  await second.close();
});

test('edits of one message in two windows are merged, and neither is lost', async ({ app: { page, dataFolder } }) => {
  await newChat(page, 'Sandbox Echo');
  await ask(page, 'Count the columns');
  await ended(articles(page).nth(1));
  const second = await duplicated(page);
  await openChat(second, /Count the columns/);
  const fields = [page, second].map((tab) => tab.getByRole('textbox', { name: 'New wording' })) as [Locator, Locator];
  const rows = () =>
    stored<{ text: string; updated_at: number }>(
      dataFolder,
      `select text, updated_at from drafts where chat like 'edit:%'`,
    );
  const getDrafts = () => rows().map(({ text }) => ({ text }));
  let opened = 0;
  for (const tab of [page, second]) {
    await articles(tab).first().hover();
    await articles(tab).first().getByRole('button', { name: 'Edit message' }).click();
    // Each field has to be stored before the other is filled: a field that isn't stored yet would take
    // over the other one's text.
    await expect.poll(() => rows()[0]?.updated_at ?? 0).toBeGreaterThan(opened);
    opened = rows()[0]?.updated_at ?? 0;
  }
  await fields[0].fill('Count the columns and the steps');
  await expect.poll(getDrafts).toEqual([{ text: 'Count the columns and the steps' }]);
  await fields[1].fill('Count the columns twice');
  await expect(fields[1]).toHaveValue('Count the columns and the steps twice');
  await expect.poll(getDrafts).toEqual([{ text: 'Count the columns and the steps twice' }]);
  await fields[0].press('Escape');
  await second.reload();
  await openChat(second, /Count the columns/);
  await expect(fields[1]).toHaveValue('Count the columns and the steps twice');
  await second.close();
});
