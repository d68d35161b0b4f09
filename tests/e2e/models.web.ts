import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, ended, newChat } from './chat.ts';
import { booked, dollars } from './money.ts';

test.describe.configure({ mode: 'default' });

test('before any key every provider’s models are there with their prices, found by the keyboard alone', async ({
  app: { page },
}) => {
  await page.getByRole('link', { name: 'Models' }).click();
  await expect(page.getByRole('banner').or(page.locator('header')).first()).toContainText(
    /[5-9]\d\d models from 1\d providers/,
  );
  await expectNoFault(page, 'the list of models');
  await page.keyboard.press('F6');
  await page.getByRole('searchbox', { name: 'Filter models' }).focus();
  await page.keyboard.type('grok 4.5');
  const row = page.getByRole('row', { name: /Grok 4\.5.*xAI/ });
  await expect(row).toContainText('Needs a key');
  await row.getByRole('button', { name: 'Grok 4.5', exact: true }).focus();
  await page.keyboard.press('Enter');
  const sheet = page.getByRole('dialog', { name: 'Grok 4.5' });
  await expect(sheet.getByRole('button', { name: 'Add a key for xAI' })).toBeFocused();
  await expect(sheet).toContainText(/Price as of .*, from @pydantic\/genai-prices/);
  await expectNoFault(page, 'a model’s page');
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  await page.goBack();
  await sheet.getByRole('button', { name: 'Add a key for xAI' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Add key (xAI)' })).toBeFocused();
});

test('one’s own requests are priced on another model, beside what they did cost in the ledger', async ({
  app: { page },
}) => {
  await newChat(page, 'Tour');
  await ask(page, 'What does this cost elsewhere?');
  await ended(articles(page).nth(1));
  await page.keyboard.press('Control+k');
  await page.keyboard.type('what if');
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Add a model' }).click();
  await expect(page.getByPlaceholder('Filter models')).toBeFocused();
  await page.keyboard.type('opus 5');
  await expect(page.getByRole('option').first()).toContainText('Claude Opus 5');
  await page.keyboard.press('Enter');
  const row = page.getByRole('row', { name: /Claude Opus 5/ });
  await expect(row).toContainText('$');
  await expectNoFault(page, 'what if');
  const [cost = 0n, actual = 0n, more] = (await row.getByRole('cell').allTextContents()).slice(0, 3).map(dollars);
  expect(cost - actual).toBe(more);
  expect(actual).toBe(-(await booked(page, /Tour/, 1)));
});
