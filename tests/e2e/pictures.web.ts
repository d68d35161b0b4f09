import { createServer } from 'node:net';
import { pagePdf } from '../seed/real-files.ts';
import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, ended, newChat } from './chat.ts';

test.describe.configure({ mode: 'default' });

test('a picture that an answer names is not fetched, and one inside this machine not even when it is asked for', async ({
  app: { page },
}) => {
  const calls: string[] = [];
  const server = createServer((socket) => {
    calls.push('called');
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  await newChat(page, 'Sandbox Echo');
  await ask(page, `![a chart](https://127.0.0.1:${port}/chart.png)`);
  await ended(articles(page).nth(1));
  const chip = articles(page)
    .nth(1)
    .getByRole('button', { name: /^Show picture: a chart/ });
  await chip.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'a chart' });
  await expect(dialog.getByRole('alert')).toContainText('not on the public internet');
  await expect(dialog.getByRole('button', { name: 'Open in browser' })).toBeVisible();
  await expectNoFault(page, 'picture');
  await page.keyboard.press('Escape');
  await expect(chip).toBeFocused();
  expect(calls).toEqual([]);
  server.close();
});

test('an attached PDF shows its first page and how many there are; one that is damaged says so', async ({
  app: { page },
}) => {
  await newChat(page);
  const whole = pagePdf(['Minutes of the meeting', 'Everybody was there.']);
  const damaged = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(2000, 0x20)]);
  await page.locator('input[type=file]').setInputFiles([
    { name: 'minutes.pdf', mimeType: 'application/pdf', buffer: whole },
    { name: 'damaged.pdf', mimeType: 'application/pdf', buffer: damaged },
  ]);
  const card = page.getByRole('button', { name: 'Open minutes.pdf' });
  await card.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'minutes.pdf' });
  const picture = dialog.getByRole('img', { name: 'First page of minutes.pdf' });
  await expect(picture).toBeVisible();
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalHeight)).toBeGreaterThan(900);
  // Words were drawn: it is not one colour all over.
  const dark = await picture.evaluate((image: HTMLImageElement) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    const pen = canvas.getContext('2d');
    pen?.drawImage(image, 0, 0, image.width, image.height);
    const { data } = pen?.getImageData(0, 0, image.width, image.height) ?? { data: [] };
    return [...data].filter((value, at) => at % 4 === 0 && value < 100).length;
  });
  expect(dark).toBeGreaterThan(50);
  await expect(dialog).toContainText('1 page, the first one is shown · about');
  await expectNoFault(page, 'PDF preview');
  await page.keyboard.press('Escape');
  await expect(card).toContainText('1 page');
  await page.getByRole('button', { name: 'Open damaged.pdf' }).click();
  await expect(page.getByRole('dialog', { name: 'damaged.pdf' })).toContainText('locked or damaged');
});
