import type { ElectronApplication } from '@playwright/test';
import { expect, test } from './app.ts';
import { message } from './chat.ts';

/** Menus that would open are noted instead: a real one waits for the system’s mouse. */
const noteMenus = (main: ElectronApplication) =>
  main.evaluate(({ Menu }) => {
    const noted: string[][] = [];
    Object.assign(globalThis, { noted });
    Menu.prototype.popup = function popup() {
      noted.push(this.items.filter(({ enabled }) => enabled).map(({ label, role }) => role ?? label));
    };
  });
const lastMenu = (main: ElectronApplication) =>
  main.evaluate(() => (globalThis as unknown as { noted: string[][] }).noted.at(-1) ?? []);

test('the right mouse button offers what can be done: in a field, with a selection, and on a chat its own menu', async ({
  launch,
}) => {
  const { page, main } = await launch();
  if (!main) throw new Error('This is a journey of the installed app');
  await page.getByRole('button', { name: 'Try it now' }).click();
  await noteMenus(main);
  await message(page).fill('A few words');
  await message(page).click({ button: 'right' });
  await expect.poll(() => lastMenu(main)).toEqual(expect.arrayContaining(['undo', 'selectall']));

  await message(page).press('ControlOrMeta+a');
  await message(page).click({ button: 'right' });
  await expect.poll(() => lastMenu(main)).toEqual(expect.arrayContaining(['cut', 'copy']));

  await page.getByRole('button', { name: 'Send' }).click();
  const chat = page.getByRole('link', { name: 'A few words' });
  await chat.click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeVisible();
});

test('the spelling is checked until that is switched off in the settings', async ({ launch }) => {
  const { page, main } = await launch();
  if (!main) throw new Error('This is a journey of the installed app');
  await page.getByRole('button', { name: 'Try it now' }).click();
  const checked = () => main.evaluate(({ session }) => session.defaultSession.isSpellCheckerEnabled());
  await expect.poll(checked).toBe(true);
  await page.evaluate(() => {
    location.hash = '#settings/chat';
  });
  await page.getByRole('switch', { name: 'Check spelling' }).click();
  await expect.poll(checked).toBe(false);
});
