import { startUpstream } from '../support/upstream.ts';
import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, capMessages, chooseModel, ended, message } from './chat.ts';
import { balanceOf, dollars } from './money.ts';

test('Auto’s choice is shown and confirmed before anything is sent, where the user wants it so, by keyboard alone', async ({
  launch,
}) => {
  const { page } = await launch();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.getByRole('button', { name: 'Try it now' }).click();
  const before = await balanceOf(page);
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('link', { name: 'Chat', exact: true }).click();
  await page.getByRole('switch', { name: 'Confirm what Auto chooses' }).focus();
  await page.keyboard.press('Space');
  await expect(page.getByRole('switch', { name: 'Confirm what Auto chooses' })).toBeChecked();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'New chat' }).click();
  await chooseModel(page, 'Auto');
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
  expect(await balanceOf(page)).toBe(before);
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
  await expect.poll(() => balanceOf(page)).toBe(before - cost);

  // A further answer and another wording ask first, too.
  await articles(page).nth(1).focus();
  await page.keyboard.press('r');
  await expect(card).toContainText(/Auto would ask/);
  await expect(card.getByRole('button', { name: 'Choose another' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(card).toBeHidden();
  // The dialog gives the focus back to where it was.
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
  expect(await balanceOf(page)).toBe(before - cost);
  await wording.press('Enter');
  await expect(card.getByRole('button', { name: 'Run' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(articles(page).first()).toContainText('2 / 2');
  await ended(articles(page).nth(1));
  await chooseModel(page, 'Sandbox Echo');
  await ask(page, 'A named model needs no confirmation');
  await ended(articles(page).nth(3));
});

test('a cap stops a further answer and an edit before anything is stored, and the user may send either all the same', async ({
  launch,
}) => {
  const upstream = await startUpstream();
  const { page } = await launch({ env: upstream.env });
  await chooseModel(page, 'GPT-5');
  await ask(page, 'Is it worth it?');
  await ended(articles(page).nth(1));
  const title = await page.getByRole('navigation', { name: 'Chats' }).getByRole('link').first().textContent();
  await capMessages(page);
  await page
    .getByRole('navigation', { name: 'Chats' })
    .getByRole('link', { name: title ?? '' })
    .click();
  const over = page.getByRole('dialog', { name: 'Over your cap' });

  await articles(page).nth(1).getByRole('button', { name: 'Regenerate' }).click();
  await expect(over).toContainText('Your cap for a message is $0.000001');
  await expectNoFault(page, 'over a cap');
  await over.getByRole('button', { name: 'Cancel' }).click();
  await expect(articles(page).nth(1)).not.toContainText('2 / 2');
  expect(upstream.calls()).toBe(1);
  await articles(page).nth(1).getByRole('button', { name: 'Regenerate' }).click();
  await over.getByRole('button', { name: 'Send once anyway' }).click();
  await expect(articles(page).nth(1)).toContainText('2 / 2');
  await ended(articles(page).nth(1));

  await articles(page).first().hover();
  await articles(page).first().getByRole('button', { name: 'Edit message' }).click();
  await page.getByRole('textbox', { name: 'New wording' }).fill('Was it worth it?');
  await page.getByRole('button', { name: 'Save and ask' }).click();
  await expect(over).toBeVisible();
  await over.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('textbox', { name: 'New wording' })).toHaveValue('Was it worth it?');
  await page.getByRole('button', { name: 'Save and ask' }).click();
  await over.getByRole('button', { name: 'Send once anyway' }).click();
  await expect(articles(page).first()).toContainText('Was it worth it?');
  await expect(articles(page).first()).toContainText('2 / 2');
  await ended(articles(page).nth(1));
  expect(upstream.calls()).toBe(3);
  await upstream.stop();
});
