import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';
import { amountIn, balanceOf, dollars } from './money.ts';

test('Stop keeps what came, and charges for exactly that', async ({ launch }) => {
  const { page } = await launch({ paced: true });
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
  expect(await amountIn(page.getByRole('row').filter({ hasText: 'Sandbox Slow' }))).toBe(-cost);
});

test.describe('in one app', () => {
  test.describe.configure({ mode: 'default' });

  test('a failed answer says why, costs nothing, and Retry asks again', async ({ app: { page } }) => {
    await page.getByRole('button', { name: 'New chat' }).click();
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

  test('Regenerate writes a second answer beside the first', async ({ app: { page } }) => {
    await page.getByRole('button', { name: 'New chat' }).click();
    await chooseModel(page, 'Sandbox Echo');
    await ask(page, 'Once more');
    await ended(articles(page).nth(1));
    await articles(page).nth(1).getByRole('button', { name: 'Regenerate' }).click();
    await expect(articles(page).nth(1)).toContainText('2 / 2');
    await expect(articles(page)).toHaveCount(2);
  });
});
