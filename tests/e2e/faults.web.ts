import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.ts';
import { startWebProcess } from '../support/web-process.ts';
import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, message } from './chat.ts';

test('a page whose server died shows where the server was, keeps the draft, continues with a new link and sends the draft once', async ({
  openBrowser,
  folder,
}) => {
  const port = await freePort();
  const entry = fileURLToPath(new URL('../../dist/main/web.js', import.meta.url));
  const args = ['--port', String(port), '--data-dir', join(folder, 'data')];
  const start = () => startWebProcess(entry, args, { PORTICO_SIMULATED_PACE: '0' });
  const first = await start();
  const context = await (await openBrowser()).newContext();
  const page = await context.newPage();
  await page.goto(await first.freshLink());
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Echo');
  await ask(page, 'before');
  await ended(articles(page).nth(1));
  await message(page).pressSequentially('half a thought');
  await first.kill('SIGKILL');
  const notice = page.getByRole('status').filter({ hasText: 'has stopped answering' });
  await expect(notice).toContainText(`--port ${port}`);
  await message(page).pressSequentially(', and the rest');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Not sent. Your text is still here.')).toBeVisible();
  await expect(message(page)).toHaveValue('half a thought, and the rest');
  await expectNoFault(page, 'a lost server');

  const second = await start();
  await expect(page.getByRole('status').filter({ hasText: `http://127.0.0.1:${port}/#b=` })).toBeVisible();
  await page.goto(await second.freshLink());
  await expect(page.getByRole('status').filter({ hasText: /know this tab|stopped answering/ })).toHaveCount(0);
  await expect(message(page)).toHaveValue('half a thought, and the rest');
  await expect(articles(page)).toHaveCount(2);
  await message(page).press('Enter');
  await ended(articles(page).nth(3));
  await page.reload();
  await expect(articles(page)).toHaveCount(4);
  await expect(message(page)).toHaveValue('');
  await context.close();
  await second.kill('SIGTERM');
});
