import type { Locator, Page } from '@playwright/test';
import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, message, newChat, openChat, searchingModels } from './chat.ts';
import { bill, billed, columns, comparison } from './compared.ts';
import { booked, chatTotal, dollars, getBalance, openingBalance } from './money.ts';
import { stored } from './stored.ts';

test.describe.configure({ mode: 'default' });
test.use({ starts: { paced: true } });

/** Chooses models to compare by keyboard alone, starting in the composer. */
async function compareByKeys(page: Page, names: readonly string[]): Promise<void> {
  await page.getByRole('button', { name: 'Compare models' }).focus();
  await page.keyboard.press('Enter');
  await searchingModels(page);
  for (const name of names) {
    await page.keyboard.type(name);
    await expect(page.getByRole('option', { name }).first()).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('list', { name: 'Models to compare' })).toContainText(name);
    for (const _ of name) await page.keyboard.press('Backspace');
  }
  await page.keyboard.press('Escape');
}

test('three models answer one question side by side, and the chat continues below the chosen answer, by keyboard alone', async ({
  app: { page },
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await newChat(page);
  const before = await openingBalance(page);
  await chooseModel(page, 'Sandbox Echo');
  await compareByKeys(page, ['Sandbox Tour', 'Sandbox Reasoner']);
  await message(page).fill('Which of you knows the ledger best?');
  const quote = page.getByRole('button', {
    name: /^(about \$[\d.]+, )?(at most|usually under) \$[\d.]+ for 3 answers/,
  });
  await expect(quote).toBeVisible();
  await expectNoFault(page, 'composer');
  await quote.focus();
  await page.keyboard.press('Enter');
  const high = dollars(await page.getByRole('row', { name: /Test credits, at most/ }).textContent());
  await page.keyboard.press('Escape');
  await message(page).focus();
  await page.keyboard.press('Enter');
  await expect(columns(page)).toHaveCount(3);
  await expect(page.getByRole('status').filter({ hasText: '3 of 3 answers finished' })).toBeAttached();
  for (const name of ['Sandbox Echo', 'Sandbox Tour', 'Sandbox Reasoner'])
    await expect(comparison(page).getByRole('article', { name })).toContainText(/\$\S+billed/);
  await expect(comparison(page).getByText('Cheapest')).toHaveCount(1);
  await expectNoFault(page, 'comparison');
  const cost = await billed(page);
  expect(cost).toBeLessThanOrEqual(high);
  await expect(comparison(page)).toContainText('test credits');
  await expect.poll(async () => dollars(await chatTotal(page).textContent())).toBe(cost);
  await expect.poll(() => getBalance(page)).toBe(before - cost);

  await message(page).fill('Go on, please.');
  await expect(page.getByText('Your next message goes to all 3')).toBeVisible();
  await page.getByRole('log', { name: 'Conversation' }).focus();
  await page.keyboard.press('k');
  await expect(comparison(page)).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(columns(page).nth(1)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(comparison(page)).toHaveCount(0);
  await expect(articles(page).nth(1)).toHaveAccessibleName('Sandbox Tour');
  await expect(articles(page).nth(1)).toContainText('2 / 3');
  await expect(message(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await ended(articles(page).nth(3));
  await expect(articles(page).nth(3)).toHaveAccessibleName('Sandbox Tour');

  await articles(page).nth(1).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Show side by side' }).click();
  await expect(columns(page)).toHaveCount(3);
  await expect(columns(page).nth(1)).toContainText('The chat goes on below this one');
  const all = cost + dollars(await articles(page).last().locator('footer').textContent());
  await expect.poll(async () => dollars(await chatTotal(page).textContent())).toBe(all);
  expect(await booked(page, 'Which of you knows the ledger best?', 4)).toBe(-all);
});

test('a further question goes to all columns, and the column chosen then continues with its model and the complete chat', async ({
  app: { page },
}) => {
  await newChat(page);
  await chooseModel(page, 'Sandbox Echo');
  await compareByKeys(page, ['Sandbox Tour']);
  await ask(page, 'Who are you?');
  await expect(bill(comparison(page))).toHaveCount(2);
  await message(page).fill('And why?');
  await expect(page.getByText('To both', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /\$[\d.]+ for 2 answers/ })).toBeVisible();
  await message(page).press('Enter');
  await expect(comparison(page)).toHaveCount(2);
  await expect(bill(comparison(page))).toHaveCount(4);
  await expectNoFault(page, 'two comparisons');
  const cost = await billed(page);
  await expect.poll(async () => dollars(await chatTotal(page).textContent())).toBe(cost);

  await comparison(page).last().getByRole('button', { name: 'Continue with this one' }).last().click();
  await expect(comparison(page)).toHaveCount(0);
  for (const index of [1, 3]) await expect(articles(page).nth(index)).toHaveAccessibleName('Sandbox Tour');
  await expect(page.getByText('And why?', { exact: true })).toHaveCount(1);
  await articles(page).last().getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Show side by side' }).click();
  await expect(comparison(page)).toHaveCount(2);
  await expect(columns(page)).toHaveCount(4);
  await comparison(page).last().getByRole('button', { name: 'Continue with this one' }).first().click();
  await expect(comparison(page)).toHaveCount(0);
  await ask(page, 'Thank you.');
  await ended(articles(page).last());
  await page.reload();
  await expect(articles(page).last()).toHaveAccessibleName('Sandbox Echo');
  await expect(articles(page).last()).toContainText('Thank you.');
});

test('one column fails and another is stopped while the third completes, and Retry asks again in the same column', async ({
  app: { page },
}) => {
  await newChat(page);
  const before = await openingBalance(page);
  await chooseModel(page, 'Sandbox Flaky');
  await compareByKeys(page, ['Sandbox Slow', 'Sandbox Echo']);
  await ask(page, 'Who is left?');
  const [flaky, slow, echo] = ['Sandbox Flaky', 'Sandbox Slow', 'Sandbox Echo'].map((name) =>
    comparison(page).getByRole('article', { name }),
  ) as [Locator, Locator, Locator];
  await expect(flaky.getByRole('button', { name: 'Retry', exact: true })).toBeVisible();
  await expect(echo).toContainText('billed');
  await expect.poll(async () => (await slow.textContent())?.length ?? 0).toBeGreaterThan(160);
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible();
  await slow.getByRole('button', { name: 'Stop Sandbox Slow' }).click();
  await expect(slow).toContainText('Stopped');
  await expect(slow).toContainText('was charged');
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeHidden();
  const cost = dollars(await bill(slow).textContent()) + dollars(await bill(echo).textContent());
  await expect.poll(() => getBalance(page)).toBe(before - cost);
  await flaky.getByRole('combobox', { name: 'Retry with…' }).click();
  await searchingModels(page);
  await page.keyboard.type('Sandbox Tour');
  await page.keyboard.press('Enter');
  const again = comparison(page).getByRole('article', { name: 'Sandbox Tour' });
  await expect(again).toContainText('billed');
  await expect(columns(page).first()).toHaveAccessibleName('Sandbox Tour');
  await again.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete message' }).click();
  await expect(columns(page)).toHaveCount(3);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(again).toBeVisible();
  const all = cost + dollars(await bill(again).textContent());
  await expect.poll(async () => dollars(await chatTotal(page).textContent())).toBe(all);
});

test('in a narrow window the columns stand below one another and none is wider than the window', async ({
  app: { page },
}) => {
  await newChat(page);
  await page.setViewportSize({ width: 420, height: 800 });
  await chooseModel(page, 'Sandbox Echo');
  await compareByKeys(page, ['Sandbox Tour']);
  await ask(page, '| a | b |\n|---|---|\n| a very long cell that does not break anywhere | another one of the kind |');
  await expect(comparison(page)).toContainText('2 answers compared');
  const [first, second] = await columns(page).evaluateAll((all) =>
    all.map((column) => column.getBoundingClientRect().toJSON()),
  );
  expect(second.top).toBeGreaterThan(first.bottom - 1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(420);
  await expectNoFault(page, 'narrow comparison');
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('after kill -9 during a comparison, each column keeps its words and a mark, and the composer keeps its models', async ({
  launch,
}) => {
  // This test starts the app twice and waits for slow answers in between.
  test.slow();
  const first = await launch({ paced: true });
  await first.page.getByRole('button', { name: 'Try it now' }).click();
  const before = await getBalance(first.page);
  await chooseModel(first.page, 'Sandbox Slow');
  await compareByKeys(first.page, ['Sandbox Tour', 'Sandbox Echo']);
  await ask(first.page, 'Write slowly, please.');
  const echo = comparison(first.page).getByRole('article', { name: 'Sandbox Echo' });
  await expect(echo).toContainText('billed');
  const slow = comparison(first.page).getByRole('article', { name: 'Sandbox Slow' });
  await expect.poll(async () => (await slow.textContent())?.length ?? 0).toBeGreaterThan(180);
  await first.page
    .getByRole('link', { name: 'New chat' })
    .or(first.page.getByRole('button', { name: 'New chat' }))
    .first()
    .click();
  await compareByKeys(first.page, ['Sandbox Echo']);
  await message(first.page).fill('half a thou');
  await expect(first.page.getByRole('list', { name: 'Models to compare' }).getByRole('listitem')).toHaveCount(2);
  // The draft is saved when typing pauses or the window loses the focus.
  await first.page.evaluate(() => dispatchEvent(new Event('blur')));
  await openChat(first.page, /Write slowly/);
  await expect(columns(first.page)).toHaveCount(3);
  await expect
    .poll(() => stored(first.dataFolder, "select text, compare from drafts where chat like 'new-%'"))
    .toEqual([{ text: 'half a thou', compare: expect.stringContaining('sandbox/echo') }]);
  await first.kill();

  const { page } = await launch({ dataFolder: first.dataFolder });
  await openChat(page, /Write slowly/);
  await expect(columns(page)).toHaveCount(3);
  const cut = comparison(page).getByRole('article', { name: 'Sandbox Slow' });
  await expect(cut).toContainText('Interrupted');
  expect((await cut.textContent())?.length).toBeGreaterThan(120);
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeHidden();
  const sum = async () => {
    let all = 0n;
    for (const amount of await bill(comparison(page)).all()) all += dollars(await amount.textContent());
    return all;
  };
  await expect.poll(async () => (await getBalance(page)) + (await sum())).toBe(before);
  await page
    .getByRole('link', { name: 'New chat' })
    .or(page.getByRole('button', { name: 'New chat' }))
    .first()
    .click();
  await expect(message(page)).toHaveValue('half a thou');
  await expect(page.getByRole('list', { name: 'Models to compare' }).getByRole('listitem')).toHaveCount(2);
});
