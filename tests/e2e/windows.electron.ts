import { once } from 'node:events';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, message } from './chat.ts';
import { stored } from './stored.ts';

test('several windows have one core; the program ends with the last of them; what was missed is counted on its icon', async ({
  launch,
}) => {
  const { page, main, dataFolder } = await launch();
  if (!main) throw new Error('This is a journey of the installed app');
  await main.evaluate(({ app }) => {
    const badges: number[] = [];
    Object.assign(globalThis, { badges });
    app.setBadgeCount = (count = 0) => {
      badges.push(count);
      return true;
    };
  });
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Echo');

  const opening = main.waitForEvent('window');
  await page.keyboard.press('ControlOrMeta+Alt+n');
  const second = await opening;
  await expect(message(second)).toBeVisible();
  const places = await main.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map((one) => one.getBounds().x),
  );
  expect(new Set(places).size).toBe(2);
  // Each has a new chat of its own.
  await message(second).fill('Typed in the second window');
  await expect(message(page)).toHaveValue('What can you do? Show me a table and some code.');
  await expect
    .poll(() => stored(dataFolder, `select * from drafts where text = 'Typed in the second window'`))
    .toHaveLength(1);
  await second.reload();
  await expect(message(second)).toHaveValue('Typed in the second window');
  await chooseModel(second, 'Sandbox Echo');
  await ask(second, 'Said in the second window');
  await ended(articles(second).nth(1));
  await page.getByRole('link', { name: /Said in the second/ }).click();
  await expect(articles(page).nth(1)).toContainText('Said in the second window');

  // Nobody looks at either of them.
  await main.evaluate(({ BrowserWindow }) => {
    BrowserWindow.prototype.isFocused = () => false;
  });
  await ask(page, 'And once more');
  const badges = () => main.evaluate(() => (globalThis as unknown as { badges: number[] }).badges);
  await expect.poll(async () => (await badges()).at(-1)).toBe(1);
  await main.evaluate(({ app }) => app.emit('browser-window-focus'));
  expect((await badges()).at(-1)).toBe(0);

  const gone = second.waitForEvent('close');
  await second.evaluate(() => window.close());
  await gone;
  await ask(page, 'The first one is still here');
  await ended(articles(page).nth(5));
  const exited = once(main.process(), 'exit');
  await page.evaluate(() => window.close()).catch(() => {});
  expect(await exited).toEqual([0, null]);
});
