import type { ElectronApplication } from '@playwright/test';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';

interface Noted {
  readonly title: string;
  readonly body: string;
}

/** Notifications are noted instead of shown: this desktop may have nobody who shows them. */
const noteNotifications = (main: ElectronApplication) =>
  main.evaluate(({ Notification }) => {
    const shown: Electron.Notification[] = [];
    Object.assign(globalThis, { shown });
    Notification.isSupported = () => true;
    Notification.prototype.show = function show() {
      shown.push(this);
    };
  });
const noted = (main: ElectronApplication): Promise<Noted[]> =>
  main.evaluate(() => (globalThis as unknown as { shown: Noted[] }).shown.map(({ title, body }) => ({ title, body })));

test('an answer that ends while the window is not looked at is told; a click shows its chat, and its title only if allowed', async ({
  launch,
}) => {
  const { page, main } = await launch();
  if (!main) throw new Error('This is a journey of the installed app');
  await noteNotifications(main);
  // This desktop has no other window that could be looked at.
  await main.evaluate(({ BrowserWindow }) => {
    BrowserWindow.prototype.isFocused = () => false;
  });
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Echo');
  await ask(page, 'Tell me when you are ready');
  await expect.poll(() => noted(main)).toEqual([{ title: 'An answer is finished', body: '' }]);

  await page.getByRole('button', { name: 'New chat' }).first().click();
  await expect(articles(page)).toHaveCount(0);
  await main.evaluate(() =>
    (globalThis as unknown as { shown: Electron.Notification[] }).shown[0]?.emit('click', { preventDefault() {} }),
  );
  await expect(articles(page).first()).toContainText('Tell me when you are ready');
  await ended(articles(page).nth(1));

  await page.evaluate(() => {
    location.hash = '#settings/chat';
  });
  await page.getByRole('button', { name: 'With the chat’s title' }).click();
  await expect(page.getByText('Saved')).toBeVisible();
  await page.getByRole('link', { name: 'Tell me when' }).click();
  await ask(page, 'And again');
  await expect
    .poll(async () => (await noted(main)).at(-1))
    .toEqual({ title: 'Tell me when you are ready', body: 'An answer is finished' });
});
