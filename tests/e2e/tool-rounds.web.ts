import { fileURLToPath } from 'node:url';
import type { Locator, Page } from '@playwright/test';
import { expectNoFaultInEither } from './accessibility.ts';
import { answering } from './answer.ts';
import { expect, type RunningApp, test } from './app.ts';
import { articles, ask, chooseModel, ended, message, searchingModels } from './chat.ts';
import { dollars, getBalance, openingBalance } from './money.ts';

const greeter = fileURLToPath(new URL('../support/mcp/greeter.ts', import.meta.url));

// Setting up a server and waiting for several answers takes longer than usual.
test.slow();

const equipped = new WeakSet<RunningApp>();

/** Switches on the calculator and a real tool server, if the app doesn't have them yet, and opens a new chat. */
async function setUp(app: RunningApp): Promise<void> {
  if (!equipped.has(app)) await equip(app);
  equipped.add(app);
  await app.page.getByRole('button', { name: 'New chat' }).click();
}

async function equip(app: RunningApp): Promise<void> {
  const { page } = app;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.keyboard.press('ControlOrMeta+,');
  await page.getByRole('link', { name: 'Tools', exact: true }).click();
  await page.getByRole('switch', { name: 'Calculator' }).click();
  await page.getByRole('button', { name: 'Add server' }).click();
  const form = page.getByRole('dialog', { name: 'Add a tool server' });
  await form.getByLabel('Name', { exact: true }).fill('Greeter');
  await form.getByLabel('Command').fill(process.execPath);
  await form.getByLabel('Arguments').fill(greeter);
  await form.getByRole('button', { name: 'Save' }).click();
  await answering(app, 'Start it', () => page.getByRole('switch', { name: 'Use the tools of Greeter' }).click());
  await page.getByRole('dialog', { name: 'Switch on Greeter?' }).getByRole('button', { name: 'Switch on' }).click();
  await expect(page.getByRole('switch', { name: 'Use the tools of Greeter' })).toBeChecked();
}

/** Expects that the balance has fallen since `opening` by exactly this chat's total. */
async function ledgerAgrees(page: Page, opening: bigint): Promise<void> {
  const total = page.getByRole('button', { name: /^Cost of this chat/ });
  await expect(async () =>
    expect(opening - (await getBalance(page))).toBe(dollars(await total.textContent())),
  ).toPass();
}

const card = (page: Page): Locator => page.getByRole('group', { name: 'May greet of Greeter run?' });

test.describe('with one shared app', () => {
  test.describe.configure({ mode: 'default' });

  test('tools are offered to models that can call them, run in rounds, and each round is on the bill', async ({
    app,
  }) => {
    const { page } = app;
    await setUp(app);
    const opening = await openingBalance(page);
    await chooseModel(page, 'Sandbox Tour');
    await page.getByRole('button', { name: 'Tools (none offered)' }).click();
    const popover = page.getByRole('dialog', { name: 'Tools' });
    await expect(popover).toContainText('Sandbox Tour cannot call tools');
    await expect(popover.getByRole('switch', { name: 'Offer tools in this chat' })).toBeDisabled();
    await page.keyboard.press('Escape');
    await chooseModel(page, 'Sandbox Tools');
    await page.getByRole('button', { name: 'Tools (6 tools offered)' }).click();
    await expect(popover).toContainText('Calculator');
    await expectNoFaultInEither(page, 'tools of a chat');
    await page.keyboard.press('Escape');
    await ask(page, 'What is (2 + 3) * 4, and what is 10 / 4?');
    const answer = articles(page).nth(1);
    await ended(answer);
    await expect(answer).toContainText('That is all I needed.');
    const calls = answer.locator('summary').filter({ hasText: 'Calculator' });
    await expect(calls).toHaveCount(2);
    await calls.first().focus();
    await page.keyboard.press('Enter');
    await expect(answer.getByRole('region', { name: 'Arguments' })).toContainText('"expression": "(2 + 3) * 4"');
    await expect(answer.getByRole('region', { name: 'Result' })).toHaveText('20');
    await answer.getByRole('button', { name: /billed/ }).click();
    const bill = page.getByRole('dialog', { name: 'What it cost' });
    const rows = bill.getByRole('table', { name: 'By request' }).getByRole('row');
    await expect(rows).toHaveCount(3);
    const amounts = await rows.getByRole('cell').filter({ hasText: '$' }).allTextContents();
    const shown = dollars(await bill.getByRole('row', { name: 'Total' }).textContent());
    expect(amounts.map(dollars).reduce((sum, amount) => sum + amount, 0n)).toBe(shown);
    await expectNoFaultInEither(page, 'a bill of several requests');
    await page.keyboard.press('Escape');
    await ledgerAgrees(page, opening);
  });

  test('words that only a tool returned are found, and the search opens the result they are in', async ({ app }) => {
    const { page } = app;
    await setUp(app);
    await chooseModel(page, 'Sandbox Tools');
    await ask(page, 'What is 123456 * 654321, and what is 10 / 4?');
    await ended(articles(page).nth(1));
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('80779853376');
    await page.getByRole('option', { name: /Result of a tool/ }).click();
    const given = articles(page).nth(1).getByRole('region', { name: 'Result' });
    await expect(given).toHaveText('80779853376');
    await expect(given).toBeInViewport();
  });

  test('a tool call that waits for approval survives a reload, is marked in the list, and is decided by keyboard', async ({
    app,
  }) => {
    const { page } = app;
    await setUp(app);
    const opening = await openingBalance(page);
    await chooseModel(page, 'Sandbox Tools');
    await message(page).fill('Please greet Ada');
    await page.keyboard.press('Enter');
    await expect(card(page)).toBeFocused();
    await expect(card(page)).toContainText('"name": "Please greet Ada"');
    await expect(page.getByRole('status').filter({ hasText: 'May greet of Greeter run?' })).toHaveCount(1);
    await expect(page.getByRole('img', { name: 'Waits for your decision' })).toBeVisible();
    await expectNoFaultInEither(page, 'a tool that asks');
    await page.setViewportSize({ width: 420, height: 900 });
    await expectNoFaultInEither(page, 'a tool that asks, narrow');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.reload();
    await expect(card(page)).toBeVisible();
    await card(page).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expect(card(page).getByRole('button', { name: 'Don’t allow' })).toBeFocused();
    await page.keyboard.press('Enter');
    await ended(articles(page).nth(1));
    await expect(articles(page).nth(1)).toContainText('not allowed');
    await expect(message(page)).toBeFocused();

    await page.keyboard.type('Greet Grace then');
    await page.keyboard.press('Enter');
    await expect(card(page)).toBeFocused();
    await card(page).getByRole('button', { name: 'Allow in this chat' }).focus();
    await page.keyboard.press('Enter');
    await ended(articles(page).nth(3));
    await expect(articles(page).nth(3)).toContainText('Hello, Greet Grace then!');
    await ask(page, 'Greet Edsger');
    await ended(articles(page).nth(5));
    await expect(articles(page).nth(5)).toContainText('Hello, Greet Edsger!');
    await ledgerAgrees(page, opening);
  });

  test('a column of a comparison calls tools and asks in its own place, and the other columns do not wait', async ({
    app,
  }) => {
    const { page } = app;
    await setUp(app);
    const opening = await openingBalance(page);
    await chooseModel(page, 'Sandbox Tools');
    await page.getByRole('button', { name: 'Compare models' }).press('Enter');
    await searchingModels(page);
    await page.keyboard.type('Sandbox Tour');
    await page.getByRole('option', { name: 'Sandbox Tour' }).click();
    await page.keyboard.press('Escape');
    await ask(page, 'Please greet Ada');
    const columns = page.getByRole('group', { name: /^Comparison of/ }).getByRole('article');
    const asking = columns.filter({ has: card(page) });
    await expect(asking).toHaveAccessibleName('Sandbox Tools');
    await expect(columns.nth(1)).toContainText(/\$\S+billed/);
    await expectNoFaultInEither(page, 'a column that asks');
    await card(page).getByRole('button', { name: 'Allow once' }).press('Enter');
    await expect(columns.first()).toContainText('Hello, Please greet Ada!');
    await expect(columns.first()).toContainText(/\$\S+billed/);
    await expect(columns.first().locator('summary').filter({ hasText: 'greet' })).toHaveCount(1);
    await ledgerAgrees(page, opening);
    await columns.first().getByRole('button', { name: 'Continue with this one' }).press('Enter');
    await expect(message(page)).toBeFocused();
    // Nothing is sent until then.
    await expect(columns).toHaveCount(0);
    await page.keyboard.type('Greet Grace then');
    await page.keyboard.press('Enter');
    await expect(card(page)).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await ended(articles(page).nth(3));
    await ledgerAgrees(page, opening);
  });
});

test('after kill -9 a waiting tool call is marked, nothing runs automatically, and the chat continues', async ({
  launch,
}) => {
  const first = await launch();
  await first.page.getByRole('button', { name: 'Try it now' }).click();
  await setUp(first);
  await chooseModel(first.page, 'Sandbox Tools');
  await ask(first.page, 'Please greet Ada');
  await expect(card(first.page)).toBeVisible();
  await first.kill();

  const { page } = await launch();
  const answer = articles(page).nth(1);
  await expect(answer).toContainText('stopped');
  await expect(answer).toContainText('Interrupted');
  await expect(card(page)).toHaveCount(0);
  await ask(page, 'What is 6 * 7?');
  await ended(articles(page).nth(3));
  await expect(articles(page).nth(3)).toContainText('42');
});
