import { expect, test } from './app.ts';
import { keep } from './stored.ts';

test('the window and the menus of the installed app have the language that the core has', async ({ launch }) => {
  const first = await launch();
  await first.close();
  keep(first.dataFolder, 'user', { language: 'en-XA' });

  const { page, main } = await launch({ dataFolder: first.dataFolder });
  await expect(page.getByRole('textbox', { name: /^⟦.+⟧$/ })).toBeVisible();
  const menus = () => main?.evaluate(({ Menu }) => Menu.getApplicationMenu()?.items.map(({ label }) => label));
  await expect.poll(menus).toEqual(Array.from({ length: 7 }, () => expect.stringMatching(/^⟦.+⟧$/)));
});
