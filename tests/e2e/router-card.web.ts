import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, message } from './chat.ts';

test('the router explains its choice, and what is never wanted is not chosen again, by keyboard alone', async ({
  launch,
}) => {
  const { page } = await launch();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Auto');
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

test('Auto follows the policy and the price limit of its chat, and says when the limit leaves nothing to choose', async ({
  app,
}) => {
  const { page } = app;
  await page.getByRole('button', { name: 'New chat' }).first().click();
  await chooseModel(page, 'Auto');
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
});
