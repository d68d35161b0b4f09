import { startUpstream } from '../support/upstream.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';
import { amountIn, balanceOf, dollars } from './money.ts';

for (const [provider, model] of [
  ['openai', 'GPT-5'],
  ['anthropic', 'Claude Sonnet 5'],
  ['google', 'Gemini 2.5 Flash'],
] as const) {
  test(`a model of ${provider} answers, is billed to your keys, and the books agree`, async ({ launch }) => {
    const upstream = await startUpstream();
    const { page } = await launch({ env: upstream.env });
    await chooseModel(page, model);
    const before = await balanceOf(page);
    await ask(page, 'How many columns?');
    const answer = articles(page).nth(1);
    await ended(answer);
    await expect(answer).toContainText(upstream.answer);
    await expect(answer.getByText('Simulated')).toBeHidden();
    const cost = dollars(await answer.locator('footer').textContent());
    expect(cost).toBeGreaterThan(0n);
    await expect.poll(async () => (await balanceOf(page)) - before).toBe(cost);
    await page.getByRole('link', { name: 'Credits' }).click();
    expect(await amountIn(page.getByRole('row').filter({ hasText: model }))).toBe(-cost);
    await upstream.stop();
  });
}

test('Auto never picks the sandbox once a real provider has a key', async ({ launch }) => {
  const upstream = await startUpstream();
  const { page } = await launch({ env: upstream.env });
  await ask(page, 'Hello');
  const answer = articles(page).nth(1);
  await ended(answer);
  await expect(answer).toContainText(upstream.answer);
  await expect(answer.getByText('Simulated')).toBeHidden();
  await expect(answer).toContainText('Auto:');
  expect(upstream.calls()).toBe(1);
  await upstream.stop();
});

test('a key entered in Settings is checked, used, and never shown again', async ({ launch }) => {
  const upstream = await startUpstream();
  const key = 'sk-entered-by-hand-0123456789abcd';
  const { page } = await launch({ env: { OPENAI_BASE_URL: upstream.env.OPENAI_BASE_URL ?? '' } });
  await page.getByRole('button', { name: 'Add a provider key' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'OpenAI' }).first();
  await row.getByRole('button', { name: 'Add key' }).click();
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await expect(row).toContainText('Works');
  await expect(row).toContainText('abcd');
  expect(await page.content()).not.toContain(key);
  await page.getByRole('button', { name: 'New chat', exact: true }).click();
  await chooseModel(page, 'GPT-5');
  await ask(page, 'Hello');
  await ended(articles(page).nth(1));
  await expect(articles(page).nth(1)).toContainText(upstream.answer);
  await upstream.stop();
});
