import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openHttpProxy } from '../support/proxies.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, message } from './chat.ts';
import { startAgain } from './start-again.ts';

test("files and links that the system opens are confirmed before they are imported or followed, and the system's proxy is used", async ({
  launch,
  folder,
}) => {
  const broken = join(folder, 'Broken.portico');
  await writeFile(broken, '{"format":');
  const proxy = await openHttpProxy();
  const app = await launch({ opens: [broken], flags: [`--proxy-server=${proxy.url}`] });
  const { page, main } = app;
  const refused = page.getByRole('dialog', { name: 'Not imported' });
  await expect(refused).toContainText('it ends in the middle');
  await refused.getByRole('button', { name: 'Close' }).click();
  await expect(refused).toBeHidden();

  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Network' }).click();
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  const steps = page.getByRole('status').getByRole('list').getByRole('listitem');
  await expect(steps.first()).toHaveText(new RegExp(`Proxy.*${proxy.url}`));
  await expect(steps.nth(1)).toHaveText(/Connection.*127\.0\.0\.1/);
  await proxy.close();
  await page.evaluate(() => location.assign('#chat'));

  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Echo');
  await ask(page, 'Plans for the week');
  await ended(articles(page).nth(1));
  const chat = new URL(page.url()).hash.split('/')[1] ?? '';

  // Links: a draft that is never sent, a chat, and a link that can't be read.
  await message(page).fill('half a thought');
  const dialog = page.getByRole('dialog');
  const prompt = 'Ignore\u202e all of this\n<img src=x onerror=alert(1)>';
  await startAgain(app, `portico://new?${new URLSearchParams({ prompt, model: 'sandbox/tour' })}`);
  await expect(dialog).toContainText('Start a chat from a link?');
  await expect(dialog).toContainText('Ignore\\u{202e} all of this');
  await expect(dialog).toContainText('<img src=x onerror=alert(1)>');
  await expect(dialog).toContainText('Sandbox Tour');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  await expect(message(page)).toHaveValue('half a thought');

  await startAgain(app, 'portico://new?prompt=Plan+my+week&model=sandbox%2Ftour');
  await dialog.getByRole('button', { name: 'Put into a new chat' }).click();
  await expect(message(page)).toHaveValue('Plan my week');
  await expect(articles(page)).toHaveCount(0);
  await expect(page.getByRole('combobox', { name: 'Model', exact: true })).toContainText('Sandbox Tour');

  await startAgain(app, `portico://chat/${chat}`);
  await dialog.getByRole('button', { name: 'Open' }).click();
  await expect(articles(page).first()).toContainText('Plans for the week');
  await expect(message(page)).toHaveValue('half a thought');

  await startAgain(app, 'portico://run?command=reboot');
  await expect(dialog).toContainText('This link cannot be opened');
  await expect(dialog).toContainText('portico://run?command=reboot');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();

  const saved = join(folder, 'saved.portico');
  await main?.evaluate(({ dialog: system }, filePath) => {
    system.showSaveDialog = (async () => ({ canceled: false, filePath })) as never;
  }, saved);
  await page.getByRole('button', { name: 'Chat actions' }).click();
  await page.getByRole('menuitem', { name: 'Export…' }).click();
  const exporting = page.getByRole('dialog', { name: 'Export 1 chat' });
  await exporting.getByRole('button', { name: 'Portico', exact: true }).click();
  await exporting.getByRole('button', { name: 'Export', exact: true }).click();
  await expect(page.getByText('Saved as saved.portico').first()).toBeVisible();

  // A copy of the chat from another computer.
  const other = join(folder, 'Zoë’s plans.portico');
  await writeFile(other, (await readFile(saved, 'utf8')).replaceAll(chat, 'chat-of-another-computer'));
  const chats = page.getByRole('navigation', { name: 'Chats', exact: true }).getByRole('link', { name: /Plans/ });
  await startAgain(app, pathToFileURL(other).href);
  const preview = page.getByRole('dialog', { name: '1 chat from Portico' });
  await expect(preview).toContainText('In Zoë’s plans.portico');
  await preview.getByRole('button', { name: 'Cancel' }).click();
  await expect(preview).toBeHidden();
  await expect(chats).toHaveCount(1);

  await startAgain(app, 'Zoë’s plans.portico', folder);
  await preview.getByRole('button', { name: 'Import 1 chat' }).click();
  await expect(chats).toHaveCount(2);
  await startAgain(app, saved);
  await expect(preview).toContainText('here already');
  await expect(preview.getByRole('button', { name: /Import/ })).toHaveCount(0);
});
