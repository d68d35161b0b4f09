import { once } from 'node:events';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, message } from './chat.ts';
import { stored } from './stored.ts';

interface Noted {
  readonly title: string;
  readonly body: string;
}

test('several windows share one core, the program ends with the last, and an unseen answer is notified and counted on the icon', async ({
  launch,
}) => {
  const { page, main, dataFolder } = await launch();
  if (!main) throw new Error('This is a journey of the installed app');
  // Notifications are recorded instead of shown: this desktop may have no program that shows them.
  await main.evaluate(({ app, Notification }) => {
    const badges: number[] = [];
    const shown: Electron.Notification[] = [];
    Object.assign(globalThis, { badges, shown });
    app.setBadgeCount = (count = 0) => {
      badges.push(count);
      return true;
    };
    Notification.isSupported = () => true;
    Notification.prototype.show = function show() {
      shown.push(this);
    };
  });
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Echo');

  const opening = main.waitForEvent('window');
  await page.keyboard.press('ControlOrMeta+Alt+n');
  const second = await opening;
  await expect(message(second)).toBeVisible();
  const places = await main.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map((window) => window.getBounds().x),
  );
  expect(new Set(places).size).toBe(2);
  // Each window has a new chat of its own.
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

  // Neither window has the focus.
  await main.evaluate(({ BrowserWindow }) => {
    BrowserWindow.prototype.isFocused = () => false;
  });
  await ask(page, 'And once more');
  const badges = () => main.evaluate(() => (globalThis as unknown as { badges: number[] }).badges);
  await expect.poll(async () => (await badges()).at(-1)).toBe(1);
  const noted = (): Promise<Noted[]> =>
    main.evaluate(() =>
      (globalThis as unknown as { shown: Noted[] }).shown.map(({ title, body }) => ({ title, body })),
    );
  await expect.poll(noted).toEqual([{ title: 'An answer is finished', body: '' }]);
  await main.evaluate(({ app }) => app.emit('browser-window-focus'));
  expect((await badges()).at(-1)).toBe(0);

  const gone = second.waitForEvent('close');
  await second.evaluate(() => window.close());
  await gone;
  await page.getByRole('button', { name: 'New chat' }).first().click();
  await expect(articles(page)).toHaveCount(0);
  await main.evaluate(() =>
    (globalThis as unknown as { shown: Electron.Notification[] }).shown[0]?.emit('click', { preventDefault() {} }),
  );
  await expect(articles(page).first()).toContainText('Said in the second window');
  await ended(articles(page).nth(3));
  await page.evaluate(() => {
    location.hash = '#settings/chat';
  });
  await page.getByRole('button', { name: 'With the chat’s title' }).click();
  await expect(page.getByText('Saved')).toBeVisible();
  await page.getByRole('link', { name: 'Said in the second' }).click();
  await ask(page, 'The first one is still here');
  await expect
    .poll(async () => (await noted()).at(-1))
    .toEqual({ title: 'Said in the second window', body: 'An answer is finished' });
  await ended(articles(page).nth(5));
  const exited = once(main.process(), 'exit');
  await page.evaluate(() => window.close()).catch(() => {});
  expect(await exited).toEqual([0, null]);
});
