import { expectNoFaultInEither } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';

test('no view has an accessibility fault, including views that only links lead to', async ({ launch }) => {
  const { page } = await launch();
  await expect(page.getByRole('button', { name: 'Try it now' })).toBeVisible();
  await expectNoFaultInEither(page, 'first run');
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Tour');
  await ask(page, 'Tell me about the ledger');
  await ended(articles(page).nth(1));
  await expectNoFaultInEither(page, 'chat');
  await page.getByRole('combobox', { name: 'Model', exact: true }).click();
  await expect(page.getByRole('option').first()).toBeVisible();
  await expectNoFaultInEither(page, 'model picker');
  await page.keyboard.press('Escape');
  for (const name of ['Models', 'Usage', 'Credits', 'Account', 'Settings']) {
    await page.getByRole('link', { name, exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    await expectNoFaultInEither(page, name);
  }
  for (const [hash, name] of [
    ['#models/compare?pick=anthropic%2Fclaude-opus-5%2Copenai%2Fgpt-5-mini', 'Compare'],
    ['#reconciliation', 'Reconciliation'],
    ['#settings/caps', 'Settings'],
  ] as const) {
    await page.evaluate((next) => {
      location.hash = next;
    }, hash);
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    await expectNoFaultInEither(page, hash);
  }
});
