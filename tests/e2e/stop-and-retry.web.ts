import type { Locator } from '@playwright/test';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, message, newChat, openChat } from './chat.ts';
import { amountIn, dollars, getBalance, openingBalance } from './money.ts';

// Models write at a real pace, so there is time to stop them.
test.describe.configure({ mode: 'default' });
test.use({ starts: { paced: true } });

const length = async (answer: Locator) => (await answer.textContent())?.length ?? 0;

test('Stop keeps the text so far and charges for exactly that', async ({ app: { page } }) => {
  await newChat(page);
  const before = await openingBalance(page);
  await chooseModel(page, 'Sandbox Slow');
  await ask(page, 'Is there an end?');
  const answer = articles(page).nth(1);
  await expect.poll(() => length(answer)).toBeGreaterThan(100);
  await page.getByRole('button', { name: 'Stop' }).click();
  await ended(answer);
  await expect(answer).toContainText('Stopped');
  await expect(answer).toContainText('$');
  const cost = dollars(await answer.getByRole('contentinfo').or(answer.locator('footer')).first().textContent());
  expect(cost).toBeGreaterThan(0n);
  await expect.poll(() => getBalance(page)).toBe(before - cost);
  await page.getByRole('link', { name: 'Credits' }).click();
  expect(await amountIn(page.getByRole('row').filter({ hasText: 'Is there an end?' }))).toBe(-cost);
});

test('a failed answer shows the reason and costs nothing, and Retry asks again', async ({ app: { page } }) => {
  await newChat(page);
  const before = await openingBalance(page);
  await chooseModel(page, 'Sandbox Flaky');
  await ask(page, 'Does it work?');
  const answer = articles(page).nth(1);
  await expect(answer.getByRole('button', { name: 'Retry' })).toBeVisible();
  await expect(answer.getByRole('button', { name: 'Copy details' })).toBeVisible();
  expect(await getBalance(page)).toBe(before);
  await chooseModel(page, 'Sandbox Echo');
  await ask(page, 'Still here?');
  await expect(articles(page).nth(3)).toContainText('Still here?');
});

test('Regenerate writes a second answer beside the first', async ({ app: { page } }) => {
  await newChat(page);
  await chooseModel(page, 'Sandbox Echo');
  await ask(page, 'Once more');
  await ended(articles(page).nth(1));
  await articles(page).nth(1).getByRole('button', { name: 'Regenerate' }).click();
  await expect(articles(page).nth(1)).toContainText('2 / 2');
  await expect(articles(page)).toHaveCount(2);
});

test('a stopped answer shows its true cost, Continue extends it as one text, and each part is paid for once', async ({
  app: { page },
}) => {
  await newChat(page, 'Sandbox Slow');
  const before = await openingBalance(page);
  await ask(page, 'Tell me something long.');
  const answer = articles(page).nth(1);
  const stop = page.getByRole('button', { name: 'Stop', exact: true });
  await expect.poll(() => length(answer)).toBeGreaterThan(120);
  await stop.click();
  await expect(answer).toContainText(
    /Stopped\. \$\S+ was charged, for tokens that are estimated\. Sandbox stops computing at once/,
  );
  // A part that isn't parsed yet shows its Markdown source, so it's left out.
  const words = (await answer.locator('.prose:not([aria-busy])').textContent()) ?? '';
  await answer.getByRole('button', { name: 'Continue' }).click();
  await expect(stop).toBeVisible();
  await expect
    .poll(async () => ((await answer.locator('.prose').textContent()) ?? '').length)
    .toBeGreaterThan(words.length + 40);
  expect(await answer.locator('.prose').textContent()).toContain(words.slice(0, 60));
  await stop.click();
  await expect(answer).toContainText('was charged');
  await expect(articles(page)).toHaveCount(2);
  const cost = dollars(await answer.locator('footer').textContent());
  await expect.poll(() => getBalance(page)).toBe(before - cost);
  await page.getByRole('link', { name: 'Credits' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'Tell me something long.' })).toHaveCount(2);
});

test('several conversations are answered at once and survive switching and a reload', async ({ app: { page } }) => {
  await newChat(page, 'Sandbox Slow');
  await ask(page, 'Slowly, the first');
  await expect.poll(() => length(articles(page).nth(1))).toBeGreaterThan(60);
  await page.keyboard.press('ControlOrMeta+Shift+o');
  await chooseModel(page, 'Sandbox Slow');
  await ask(page, 'Slowly, the second');
  await expect(page.getByRole('img', { name: 'Writing' })).toHaveCount(2);
  await page.reload();
  await expect(page.getByRole('img', { name: 'Writing' })).toHaveCount(2);
  for (const title of [/the first/, /the second/]) {
    await openChat(page, title);
    const answer = articles(page).nth(1);
    await expect(answer).toContainText(title);
    const before = await length(answer);
    await expect.poll(() => length(answer)).toBeGreaterThan(before + 20);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    const footer = answer.locator('footer');
    await expect(footer).toContainText('$');
    expect(dollars(await footer.textContent())).toBeGreaterThan(0n);
  }
  await expect(page.getByRole('img', { name: 'Writing' })).toHaveCount(0);
});

test('Enter sends, Shift+Enter breaks the line, Escape stops', async ({ app: { page } }) => {
  await newChat(page);
  // This model is slow, so there is time to stop it.
  await chooseModel(page, 'Sandbox Slow');
  const field = message(page);
  await field.fill('one');
  await field.press('Shift+Enter');
  await page.keyboard.type('two');
  await expect(field).toHaveValue('one\ntwo');
  await page.keyboard.press('Enter');
  await expect(articles(page).first()).toContainText('one');
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  await page.keyboard.press('Escape');
  await ended(articles(page).nth(1));
});
