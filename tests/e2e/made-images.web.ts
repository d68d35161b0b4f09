import { readFile } from 'node:fs/promises';
import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';
import { booked, dollars } from './money.ts';

test('a model makes an image: it is shown, billed as such, opened, saved, copied, and goes on from', async ({
  launch,
}) => {
  const { page } = await launch();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Painter');
  await ask(page, 'Paint the sea at dawn.');
  const answer = articles(page).nth(1);
  await ended(answer);
  const image = answer.getByRole('img', { name: 'Image made by Sandbox Painter' });
  await expect(image).toBeVisible();
  expect(await image.evaluate((shown: HTMLImageElement) => shown.naturalWidth)).toBe(512);
  await expectNoFault(page, 'an image of an answer');

  const bill = answer.getByRole('button', { name: /billed/ });
  const cost = dollars(await bill.textContent());
  await bill.click();
  await expect(page.getByRole('dialog')).toContainText(/Images.*1,120 tokens/);
  await page.keyboard.press('Escape');

  await answer.getByRole('button', { name: 'Open Image made by Sandbox Painter' }).press('Enter');
  await expect(page.getByRole('dialog').getByRole('img')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  const saving = page.waitForEvent('download');
  await answer.getByRole('button', { name: 'Save image' }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe('image-1.png');
  expect((await readFile(await saved.path())).subarray(1, 4).toString()).toBe('PNG');
  await answer.getByRole('button', { name: 'Copy image' }).click();
  await expect(answer.getByRole('button', { name: 'Copied' })).toBeVisible();
  await page.getByRole('textbox', { name: 'Message', exact: true }).press('ControlOrMeta+v');
  await expect(
    page.getByRole('list', { name: 'Attached files' }).getByRole('button', { name: /^Open / }),
  ).toBeVisible();

  await page.reload();
  await expect(image).toBeVisible();
  await ask(page, 'Bluer.');
  await ended(articles(page).nth(3));
  await expect(articles(page).nth(3)).toContainText('It had 2 pictures to begin with.');
  const second = dollars(
    await articles(page)
      .nth(3)
      .getByRole('button', { name: /billed/ })
      .textContent(),
  );
  expect(await booked(page, 'Sandbox Painter', 2)).toBe(-cost - second);
});
