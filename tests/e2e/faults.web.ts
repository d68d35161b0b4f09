import { expect, test } from './app.ts';
import { articles, ask, chooseModel, openChat } from './chat.ts';
import { balanceOf } from './money.ts';

test('an answer that kill -9 cut off is there after the restart, marked, and nothing stays held', async ({
  launch,
}) => {
  const first = await launch({ paced: true });
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
