import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no view has an accessibility fault (${colorScheme})`, async ({ launch }) => {
    const { page } = await launch();
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect(page.getByRole('button', { name: 'Try it now' })).toBeVisible();
    await expectNoFault(page, 'first run');
    await page.getByRole('button', { name: 'Try it now' }).click();
    await chooseModel(page, 'Sandbox Tour');
    await ask(page, 'Tell me about the ledger');
    await ended(articles(page).nth(1));
    await expectNoFault(page, 'chat');
    await page.getByRole('combobox', { name: 'Model', exact: true }).click();
    await expect(page.getByRole('option').first()).toBeVisible();
    await expectNoFault(page, 'model picker');
    await page.keyboard.press('Escape');
    for (const name of ['Models', 'Usage', 'Credits', 'Account', 'Settings']) {
      await page.getByRole('link', { name, exact: true }).click();
      await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      await expectNoFault(page, name);
    }
  });
}
