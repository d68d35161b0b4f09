import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { damageDatabase } from '../support/damaged-database.ts';
import { expect, test } from './app.ts';
import { articles, ask, ended } from './chat.ts';

/** Nobody can press a button in the system's box, so the main process loads a replacement that answers. */
const answeringBoxes = `
const { dialog } = require('electron');
dialog.showMessageBox = async (options) => {
  process.stdout.write('box: ' + JSON.stringify(options) + '\\n');
  return { response: options.buttons.indexOf(process.env.PORTICO_TEST_BUTTON), checkboxChecked: false };
};
`;

test('a damaged database is reported with its file and newest backup, and one press restores the chats', async ({
  launch,
  folder,
}) => {
  const first = await launch();
  await first.page.getByRole('button', { name: 'Try it now' }).click();
  await ask(first.page, 'What is a portico?');
  await ended(articles(first.page).nth(1));
  await first.close();
  await damageDatabase(first.dataFolder);

  const hook = join(folder, 'boxes.cjs');
  await writeFile(hook, answeringBoxes);
  const again = await launch({ flags: ['-r', hook], env: { PORTICO_TEST_BUTTON: 'Restore the backup' } });
  await expect(again.page.getByRole('link', { name: 'What is a portico?' })).toBeVisible();
  const [box = ''] = again
    .output()
    .split('\n')
    .filter((line) => line.includes('box: '));
  const { message, detail, buttons } = JSON.parse(box.slice(box.indexOf('{')));
  expect(message).toBe('Your chats cannot be opened');
  expect(detail).toContain(join(first.dataFolder, 'portico.db'));
  expect(detail).toContain('your newest backup, of');
  expect(buttons).toEqual(['Quit', 'Show the folder', 'Restore the backup']);
  await again.page.getByRole('link', { name: 'What is a portico?' }).click();
  await expect(articles(again.page)).toHaveCount(2);
});
