import { readFileSync } from 'node:fs';
import { startUpstream } from '../support/upstream.ts';
import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';
import { dollars } from './money.ts';

/** A PNG of one red pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

const report = readFileSync(new URL('../support/documents/report.docx', import.meta.url));

test('an image, a text file and a Word document are picked, read by the model, shown in the thread and sent again', async ({
  launch,
}) => {
  const upstream = await startUpstream();
  const { page } = await launch({ env: upstream.env });
  const total = page.getByRole('button', { name: /Cost of this chat/ });
  await chooseModel(page, 'GPT-5');
  const attach = page.locator('input[type=file]').first();
  await attach.setInputFiles([
    { name: 'column.png', mimeType: 'image/png', buffer: png },
    { name: 'notes.ts', mimeType: 'text/plain', buffer: Buffer.from('export const columns = 8;\n') },
    { name: 'report.docx', mimeType: 'application/octet-stream', buffer: report },
    { name: 'archive.zip', mimeType: 'application/zip', buffer: Buffer.from('504b03040a0000000000', 'hex') },
  ]);
  const files = page.getByRole('list', { name: 'Attached files' });
  await expect(files.getByRole('listitem')).toHaveCount(3);
  await expect(page.getByRole('alert')).toContainText('archive.zip is a ZIP file');
  await expect(files).toContainText('1,000 tokens');
  await expectNoFault(page, 'attachments');
  await ask(page, 'What is in these?');
  await ended(articles(page).nth(1));
  const own = articles(page).nth(0);
  await expect(own.getByRole('button', { name: 'Open column.png' }).locator('img')).toBeVisible();
  await own.getByRole('button', { name: 'Open notes.ts' }).click();
  await expect(page.getByRole('dialog')).toContainText('columns = 8');
  await page.keyboard.press('Escape');
  await own.getByRole('button', { name: 'Open report.docx' }).click();
  await expect(page.getByRole('dialog')).toContainText('costs stayed *below* the estimate');
  await page.keyboard.press('Escape');
  // It has been read, and is no picture all the same.
  await expect(own.getByRole('button', { name: 'Open report.docx' }).locator('img')).toHaveCount(0);
  await ask(page, 'And again?');
  await ended(articles(page).nth(3));
  const bodies = upstream.bodies();
  expect(bodies).toHaveLength(2);
  for (const body of bodies) {
    expect(body).toContain(`data:image/png;base64,${png.toString('base64')}`);
    expect(body).toContain('columns = 8');
    expect(body).toContain('| Stone | 1,250.00 |');
  }
  const costs = await Promise.all(
    [1, 3].map(async (at) => dollars(await articles(page).nth(at).locator('footer').textContent())),
  );
  await expect.poll(async () => dollars(await total.textContent())).toBe((costs[0] ?? 0n) + (costs[1] ?? 0n));
  await upstream.stop();
});
