import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, message, newChat } from './chat.ts';
import { dollars, getBalance, openingBalance } from './money.ts';

test.describe.configure({ mode: 'default' });

test('the router explains its choice, and a model that the user excludes is not chosen again', async ({
  app: { page },
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await newChat(page, 'Auto');
  await ask(page, 'Who answers?');
  await ended(articles(page).nth(1));
  const first = await articles(page).nth(1).getAttribute('aria-label');
  const why = articles(page).nth(1).getByRole('button', { name: 'Why this model' });
  await why.focus();
  await page.keyboard.press('Enter');
  const card = page.getByRole('dialog', { name: 'Why this model' });
  await expect(card).toContainText(`${first} was chosen`);
  await expect(card.getByRole('list', { name: 'Attempts' })).toContainText('answered');
  await expect(card.getByRole('list', { name: 'Candidates' })).toContainText('chosen');
  await expect(card.getByRole('region', { name: 'Price elsewhere' })).toContainText(/\$\S+ (more|less)|the same/);
  await expect(card).toContainText('not in the running');
  await card.getByRole('button', { name: 'Pin this model' }).focus();
  await expect(page.getByText('Close', { exact: true })).toBeHidden();
  await expectNoFault(page, 'why this model');
  await card.getByRole('button', { name: 'Never for this' }).focus();
  await page.keyboard.press('Enter');
  await expect(card.getByRole('button', { name: 'Allow again' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(why).toBeFocused();
  await ask(page, 'And now?');
  await ended(articles(page).nth(3));
  await expect(articles(page).nth(3)).not.toHaveAccessibleName(first ?? '');
  await articles(page).nth(3).getByRole('button', { name: 'Why this model' }).focus();
  await page.keyboard.press('Enter');
  await card.getByText('not in the running').focus();
  await expect(card).toContainText('never for this, as you said');
  await card.getByRole('button', { name: 'Pin this model' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  const second = await articles(page).nth(3).getAttribute('aria-label');
  await expect(page.getByRole('combobox', { name: 'Model', exact: true })).toContainText(second ?? '');
});

test("Auto follows the chat's policy and price limit, and explains when the limit excludes every model", async ({
  app: { page },
}) => {
  await newChat(page, 'Auto');
  const settings = page.getByRole('dialog', { name: 'Chat settings' });
  const limit = settings.getByRole('textbox', { name: /Auto spends at most/ });
  await page.getByRole('button', { name: /^Chat settings/ }).click();
  await settings.getByRole('button', { name: 'Cheapest' }).click();
  await limit.fill('a little');
  await expect(settings).toContainText('Enter an amount such as 0.05');
  await expect(settings.getByRole('button', { name: 'Save' })).toBeDisabled();
  await limit.fill('0.000000001');
  await settings.getByRole('button', { name: 'Save' }).click();
  await expect(settings).toBeHidden();

  await message(page).fill('Which of you is the cheapest?');
  const notice = page.getByText('the price limit that you set for it');
  await expect(notice).toBeVisible();
  await expectNoFault(page, 'over the price limit');
  await page.getByRole('button', { name: 'Chat settings', exact: true }).click();
  await limit.fill('1');
  await settings.getByRole('button', { name: 'Save' }).click();
  await expect(notice).toBeHidden();
  await page.getByRole('button', { name: 'Send' }).click();
  await ended(articles(page).last());
  await articles(page).last().getByRole('button', { name: 'Why this model' }).click();
  await expect(page.getByRole('dialog', { name: 'Why this model' })).toContainText('Policy: cheapest.');
  await page.keyboard.press('Escape');
});

// This test comes last because its setting stays.
test("Auto's choice is shown and confirmed by keyboard before anything is sent when the setting is on", async ({
  app: { page },
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const before = await openingBalance(page);
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('link', { name: 'Chat', exact: true }).click();
  await page.getByRole('switch', { name: 'Confirm what Auto chooses' }).focus();
  await page.keyboard.press('Space');
  await expect(page.getByRole('switch', { name: 'Confirm what Auto chooses' })).toBeChecked();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await newChat(page, 'Auto');
  await message(page).fill('Who would answer?');
  await page.keyboard.press('Enter');
  const card = page.getByRole('dialog', { name: 'Ask Auto’s choice?' });
  await expect(card).toContainText(/Auto would ask .+ best score of the/);
  await expect(card).toContainText(/It would cost \$\S+–/);
  await expect(card).toContainText(/The next best is .+ for \$/);
  await expect(card.getByRole('list', { name: 'Candidates' })).toContainText('chosen');
  await expectNoFault(page, 'confirm');
  await page.keyboard.press('Escape');
  await expect(card).toBeHidden();
  await expect(message(page)).toHaveValue('Who would answer?');
  expect(await getBalance(page)).toBe(before);
  await expect(articles(page)).toHaveCount(0);

  await expect(message(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(card.getByRole('button', { name: 'Run' })).toBeFocused();
  await card.getByRole('button', { name: 'Choose another' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('option').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(message(page)).toHaveValue('Who would answer?');

  await message(page).focus();
  await page.keyboard.press('Enter');
  const chosen = /Auto would ask (.+?)(:|\.)/.exec((await card.getByText(/Auto would ask/).textContent()) ?? '')?.[1];
  await expect(card.getByRole('button', { name: 'Run' })).toBeFocused();
  await page.keyboard.press('Enter');
  await ended(articles(page).nth(1));
  await expect(articles(page).nth(1)).toHaveAccessibleName(chosen ?? '');
  const cost = dollars(await articles(page).nth(1).locator('footer').textContent());
  await expect.poll(() => getBalance(page)).toBe(before - cost);

  // Regenerating an answer and editing a message ask first, too.
  await articles(page).nth(1).focus();
  await page.keyboard.press('r');
  await expect(card).toContainText(/Auto would ask/);
  await expect(card.getByRole('button', { name: 'Choose another' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(card).toBeHidden();
  // Closing the dialog returns the focus to the article.
  await expect(articles(page).nth(1)).toBeFocused();
  await expect(articles(page)).toHaveCount(2);
  await articles(page).first().focus();
  await page.keyboard.press('e');
  const wording = page.getByRole('textbox', { name: 'New wording' });
  await expect(wording).toBeFocused();
  await wording.fill('Who else would answer?');
  await page.keyboard.press('Enter');
  await expect(card).toContainText(/It would cost \$\S+–/);
  await page.keyboard.press('Escape');
  await expect(card).toBeHidden();
  await expect(wording).toBeFocused();
  await expect(wording).toHaveValue('Who else would answer?');
  expect(await getBalance(page)).toBe(before - cost);
  await wording.press('Enter');
  await expect(card.getByRole('button', { name: 'Run' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(articles(page).first()).toContainText('2 / 2');
  await ended(articles(page).nth(1));
  await chooseModel(page, 'Sandbox Echo');
  await ask(page, 'A named model needs no confirmation');
  await ended(articles(page).nth(3));
});
