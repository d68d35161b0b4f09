import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, openChat } from './chat.ts';
import { amountIn, balanceOf, dollars } from './money.ts';

test('an answer that kill -9 cut off is there after the restart, marked, and nothing stays held', async ({
  launch,
}) => {
  const first = await launch();
  await first.page.getByRole('button', { name: 'Try it now' }).click();
  const before = await balanceOf(first.page);
  await chooseModel(first.page, 'Sandbox Slow');
  await ask(first.page, 'Write slowly, please.');
  const cut = articles(first.page).nth(1);
  await expect.poll(async () => (await cut.textContent())?.length ?? 0).toBeGreaterThan(120);
  await first.kill();

  const { page } = await launch({ dataFolder: first.dataFolder });
  await openChat(page, /Write slowly/);
  const answer = articles(page).nth(1);
  await expect(answer).toContainText('Interrupted');
  expect((await answer.textContent())?.length).toBeGreaterThan(60);
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  await page.getByRole('link', { name: 'Credits' }).click();
  await expect(page.getByText('Held for running answers').locator('..')).toContainText('$0.00');
  expect(await balanceOf(page)).toBe(before);

  await openChat(page, /Write slowly/);
  await chooseModel(page, 'Sandbox Echo');
  await ask(page, 'And it goes on.');
  await expect(articles(page).nth(3)).toContainText('And it goes on.');
});

test('Stop keeps what came, and charges for exactly that', async ({ launch }) => {
  const { page } = await launch();
  await page.getByRole('button', { name: 'Try it now' }).click();
  const before = await balanceOf(page);
  await chooseModel(page, 'Sandbox Slow');
  await ask(page, 'Tell me something long.');
  const answer = articles(page).nth(1);
  await expect.poll(async () => (await answer.textContent())?.length ?? 0).toBeGreaterThan(100);
  await page.getByRole('button', { name: 'Stop' }).click();
  await ended(answer);
  await expect(answer).toContainText('Stopped');
  await expect(answer).toContainText('$');
  const cost = dollars(await answer.getByRole('contentinfo').or(answer.locator('footer')).first().textContent());
  expect(cost).toBeGreaterThan(0n);
  await expect.poll(() => balanceOf(page)).toBe(before - cost);
  await page.getByRole('link', { name: 'Credits' }).click();
  expect(await amountIn(page.getByRole('row').filter({ hasText: 'sandbox/slow' }))).toBe(-cost);
});

test('a failed answer says why, costs nothing, and Retry asks again', async ({ launch }) => {
  const { page } = await launch();
  await page.getByRole('button', { name: 'Try it now' }).click();
  const before = await balanceOf(page);
  await chooseModel(page, 'Sandbox Flaky');
  await ask(page, 'Does it work?');
  const answer = articles(page).nth(1);
  await expect(answer.getByRole('button', { name: 'Retry' })).toBeVisible();
  await expect(answer.getByRole('button', { name: 'Copy details' })).toBeVisible();
  expect(await balanceOf(page)).toBe(before);
  await chooseModel(page, 'Sandbox Echo');
  await ask(page, 'Still here?');
  await expect(articles(page).nth(3)).toContainText('Still here?');
});

test('a streaming answer survives a reload of the page and goes on', async ({ launch }) => {
  const { page } = await launch();
  await page.getByRole('button', { name: 'Try it now' }).click();
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(articles(page).nth(1)).toContainText('Portico');
  await page.reload();
  await openChat(page, /What can you do/);
  const answer = articles(page).nth(1);
  await ended(answer);
  await expect(answer).toContainText('Welcome to Portico');
  await expect(answer).toContainText('billed');
});

test('Regenerate writes a second answer beside the first', async ({ launch }) => {
  const { page } = await launch();
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Echo');
  await ask(page, 'Once more');
  await ended(articles(page).nth(1));
  await articles(page).nth(1).getByRole('button', { name: 'Regenerate' }).click();
  await expect(articles(page).nth(1)).toContainText('2 / 2');
  await expect(articles(page)).toHaveCount(2);
});
