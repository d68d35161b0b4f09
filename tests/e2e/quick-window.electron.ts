import { execFileSync } from 'node:child_process';
import type { ElectronApplication, Page } from '@playwright/test';
import { expect, type RunningApp, test } from './app.ts';
import { articles, ask, chooseModel, ended, message } from './chat.ts';
import { hasTool } from './has-tool.ts';

const canPress = process.platform === 'linux' && hasTool('xdotool');
test.skip(!canPress, 'keys of the whole system are pressed with xdotool');

/** Presses keys as a person does, whatever program is in front. */
const press = (keys: string) => execFileSync('xdotool', ['key', keys]);

function getProgram({ main }: RunningApp): ElectronApplication {
  if (!main) throw new Error('This is a journey of the installed app');
  return main;
}

const shown = (program: ElectronApplication) =>
  program.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()
      .filter((window) => window.isVisible())
      .map((window) => ({ above: window.isAlwaysOnTop(), quick: window.webContents.getURL().includes('#quick') })),
  );

async function setShortcut(page: Page, keys: string): Promise<void> {
  await page.getByRole('button', { name: /^(?:Set shortcut|Change )/ }).click();
  await expect(page.getByRole('button', { name: 'Press the keys for the quick window' })).toBeFocused();
  await page.keyboard.press(keys);
}

test('a system-wide shortcut shows a small window above all others, and its chat continues in the main window', async ({
  launch,
}) => {
  const app = await launch();
  const program = getProgram(app);
  const { page } = app;
  await page.getByRole('button', { name: 'Try it now' }).click();
  await page.evaluate(() => location.assign('#settings/chat'));

  // The shortcut is off until it's set. A key that is taken is refused, and the earlier one stays.
  await program.evaluate(({ globalShortcut }) => globalShortcut.register('CommandOrControl+Alt+T', () => {}));
  await setShortcut(page, 'g');
  await expect(page.getByRole('alert')).toContainText('cannot be taken from all programs');
  await page.keyboard.press('Escape');
  await setShortcut(page, 'Control+Alt+t');
  await expect(page.getByRole('alert')).toContainText('Another program or the system has these keys already');
  await setShortcut(page, 'Control+Alt+q');
  await expect(page.getByRole('button', { name: 'Turn off' })).toBeVisible();

  const opening = program.waitForEvent('window');
  press('ctrl+alt+q');
  const quick = await opening;
  await expect(message(quick)).toBeFocused();
  await expect.poll(async () => (await shown(program)).filter(({ above }) => above).length).toBe(1);
  await expect(quick.getByRole('navigation')).toHaveCount(0);
  // The quick window doesn't show the main window's draft.
  await expect(message(quick)).toHaveValue('');
  await chooseModel(quick, 'Sandbox Echo');
  await ask(quick, 'Echo this, please');
  await ended(articles(quick).nth(1));
  await expect(articles(quick).nth(1)).toContainText('Echo this, please');

  await quick.keyboard.press('Escape');
  await expect.poll(async () => (await shown(program)).length).toBe(1);
  press('ctrl+alt+q');
  await expect.poll(async () => (await shown(program)).length).toBe(2);
  await expect(articles(quick)).toHaveCount(2);
  await quick.reload();
  await expect(articles(quick)).toHaveCount(2);
  await quick.getByRole('button', { name: 'Continue in main window' }).click();
  await expect.poll(async () => (await shown(program)).length).toBe(1);
  await expect(articles(page).nth(1)).toContainText('Echo this, please');

  // The shortcut survives a restart and can be switched off again.
  await app.leave();
  const again = await launch();
  await expect(message(again.page)).toBeVisible();
  await expect(async () => {
    press('ctrl+alt+q');
    await expect.poll(async () => (await shown(getProgram(again))).length, { timeout: 3000 }).toBe(2);
  }).toPass();
  await again.page.evaluate(() => location.assign('#settings/chat'));
  await again.page.getByRole('button', { name: 'Turn off' }).click();
  await expect(again.page.getByText('Off', { exact: true })).toBeVisible();
  await expect.poll(async () => (await shown(getProgram(again))).length).toBe(1);
});
