import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';
import { startAgain } from './start-again.ts';

test('the app’s own file opens with the app, at its start and later, and is imported when its preview was agreed to', async ({
  launch,
  folder,
}) => {
  const broken = join(folder, 'Broken.portico');
  await writeFile(broken, '{"format":');
  const app = await launch({ opens: [broken] });
  const { page, main } = app;
  const refused = page.getByRole('dialog', { name: 'Not imported' });
  await expect(refused).toContainText('it ends in the middle');
  await refused.getByRole('button', { name: 'Close' }).click();
  await expect(refused).toBeHidden();

  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Echo');
  await ask(page, 'Plans for the week');
  await ended(articles(page).nth(1));
  const chat = new URL(page.url()).hash.split('/')[1] ?? '';
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

  // The same chat of another computer.
  const other = join(folder, 'Zoë’s plans.portico');
  await writeFile(other, (await readFile(saved, 'utf8')).replaceAll(chat, 'chat-of-another-computer'));
  const chats = page.getByRole('navigation', { name: 'Chats', exact: true }).getByRole('link', { name: /Plans/ });
  await startAgain(app, pathToFileURL(other).href);
  const dialog = page.getByRole('dialog', { name: '1 chat from Portico' });
  await expect(dialog).toContainText('In Zoë’s plans.portico');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  await expect(chats).toHaveCount(1);

  await startAgain(app, 'Zoë’s plans.portico', folder);
  await dialog.getByRole('button', { name: 'Import 1 chat' }).click();
  await expect(chats).toHaveCount(2);
  await startAgain(app, saved);
  await expect(dialog).toContainText('here already');
  await expect(dialog.getByRole('button', { name: /Import/ })).toHaveCount(0);
});
