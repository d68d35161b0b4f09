import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';

test('the simulated painter paints in the installed app, whose cryptography is not that of Node', async ({
  launch,
}) => {
  const { page } = await launch();
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Painter');
  await ask(page, 'Paint the sea at dawn.');
  const answer = articles(page).nth(1);
  await ended(answer);
  await expect(answer.getByRole('alert')).toHaveCount(0);
  await expect(answer.getByRole('img', { name: 'Image made by Sandbox Painter' })).toBeVisible();
});
