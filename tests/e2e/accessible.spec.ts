import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no view has an accessibility fault (${colorScheme})`, async ({ launch }) => {
    const { page } = await launch();
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const check = async (view: string) => {
      const { violations } = await new AxeBuilder({ page }).withTags(rules).setLegacyMode(true).analyze();
      expect(violations.map(({ id, nodes }) => `${view}: ${id} ${nodes[0]?.html}`)).toEqual([]);
    };
    await expect(page.getByRole('button', { name: 'Try it now' })).toBeVisible();
    await check('first run');
    await page.getByRole('button', { name: 'Try it now' }).click();
    await chooseModel(page, 'Sandbox Tour');
    await ask(page, 'Tell me about the ledger');
    await ended(articles(page).nth(1));
    await check('chat');
    await page.getByRole('combobox', { name: 'Model' }).click();
    await expect(page.getByRole('option').first()).toBeVisible();
    await check('model picker');
    await page.keyboard.press('Escape');
    for (const name of ['Models', 'Usage', 'Credits', 'Account', 'Settings']) {
      await page.getByRole('link', { name, exact: true }).click();
      await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      await check(name);
    }
  });
}
