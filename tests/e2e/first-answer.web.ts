import { expect, test } from './app.ts';
import { amountIn, dollars, getBalance } from './money.ts';

test('two clicks lead to a streamed answer whose cost agrees with the balance, the ledger and the usage page', async ({
  launch,
}) => {
  const { page, close, dataFolder } = await launch({ paced: true });
  await page.getByRole('button', { name: 'Try it now' }).click();
  const before = await getBalance(page);
  // The answer takes only a few seconds, so waiting for its Stop button has to start before the click.
  const stop = page.getByRole('button', { name: 'Stop', exact: true });
  await Promise.all([expect(stop).toBeVisible(), page.getByRole('button', { name: 'Send' }).click()]);

  const thread = page.getByRole('log', { name: 'Conversation' });
  await expect(thread.getByRole('article', { name: 'You' })).toBeVisible();
  const answer = thread.getByRole('article').nth(1);
  await expect(answer.getByText('Simulated')).toBeVisible();
  await expect(answer.getByRole('button', { name: 'Regenerate' })).toBeVisible();
  const cost = dollars(await answer.textContent());
  expect(cost).toBeGreaterThan(0n);
  await expect.poll(() => getBalance(page)).toBe(before - cost);

  await page.getByRole('link', { name: 'Credits' }).click();
  const transaction = page.getByRole('row').filter({ hasText: 'Sandbox Tour' });
  await expect(transaction).toHaveCount(1);
  expect(await amountIn(transaction)).toBe(-cost);

  await page.getByRole('link', { name: 'Usage' }).click();
  const usage = page.getByRole('row').filter({ hasText: /tour/i });
  await expect(usage).toHaveCount(1);
  expect(await amountIn(usage)).toBe(cost);
  await close();

  const again = await launch({ dataFolder });
  await expect(again.page.getByRole('button', { name: 'Try it now' })).toBeHidden();
  await expect.poll(() => getBalance(again.page)).toBe(before - cost);
  await again.page
    .getByRole('navigation')
    .getByRole('link', { name: /portico|tour|what/i })
    .first()
    .click();
  const stored = again.page.getByRole('log', { name: 'Conversation' }).getByRole('article').nth(1);
  await expect(stored.getByText('Simulated')).toBeVisible();
  expect(dollars(await stored.textContent())).toBe(cost);
});
