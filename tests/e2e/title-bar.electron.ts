import { execFileSync } from 'node:child_process';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, message } from './chat.ts';
import { hasTool } from './has-tool.ts';

// All tests share one app.
test.describe.configure({ mode: 'default' });

const pages = ['chat', 'chats/active', 'models', 'usage', 'credits', 'account', 'settings/data'];

test("the upper row is the title bar: nothing lies under the system's buttons at any width, and the menus open", async ({
  app: { page, main },
}) => {
  if (!main) throw new Error('This is a journey of the installed app');
  const handle = await main.evaluate(({ BrowserWindow, Menu, nativeTheme }) => {
    const supported = 'setTitleBarOverlay' in BrowserWindow.prototype;
    const seen: { menus: object[]; colours: object[] } = { menus: [], colours: [] };
    Object.assign(globalThis, { seen });
    nativeTheme.themeSource = 'light';
    Menu.prototype.popup = (options) => void seen.menus.push({ x: options?.x, y: options?.y });
    if (supported) BrowserWindow.prototype.setTitleBarOverlay = (options) => void seen.colours.push(options);
    return { supported, isMac: process.platform === 'darwin' };
  });
  test.skip(!handle.supported || handle.isMac, 'the system draws the title bar of this Electron');
  const seen = () =>
    main.evaluate(() => (globalThis as unknown as { seen: { menus: object[]; colours: object[] } }).seen);

  for (const width of [1280, 420]) {
    await main.evaluate(({ BrowserWindow }, to) => BrowserWindow.getAllWindows()[0]?.setSize(to, 600), width);
    await expect.poll(() => page.evaluate(() => innerWidth)).toBe(width);
    for (const hash of pages) {
      await page.evaluate((to) => location.assign(`#${to}`), hash);
      await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible();
      expect({ width, hash, covered: await page.evaluate(covered) }).toEqual({ width, hash, covered: [] });
    }
  }
  await page.getByRole('button', { name: 'Open sidebar' }).click();
  await expect(page.getByRole('button', { name: 'Close sidebar' })).toBeVisible();
  // The sidebar slides in, so wait for it.
  await expect.poll(() => page.evaluate(covered)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.evaluate(() => location.assign('#models'));
  await page.getByRole('main').getByRole('row').nth(1).click();
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true })).toBeVisible();
  await expect.poll(() => page.evaluate(covered)).toEqual([]);
  await page.keyboard.press('Escape');

  await main.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setSize(1280, 600));
  await page.evaluate(() => location.assign('#chat'));
  await expect(page.getByRole('complementary', { name: 'Sidebar' })).toBeVisible();
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await expect.poll(async () => (await seen()).menus).toHaveLength(1);

  await main.evaluate(({ nativeTheme }) => {
    nativeTheme.themeSource = 'dark';
  });
  await expect.poll(async () => (await seen()).colours.at(-1)).toMatchObject({ symbolColor: '#b1b4bb' });

  test.skip(!hasTool('xdotool'), 'keys are pressed with xdotool');
  // Presses keys as a person does: Playwright's keys don't pass the code that listens for Alt.
  const press = (...keys: string[]) => execFileSync('xdotool', ['key', ...keys]);
  await message(page).focus();
  press('Alt_L');
  await expect.poll(async () => (await seen()).menus).toHaveLength(2);
  // Alt together with another key opens no menu.
  press('Alt_L+d', 'F10');
  await expect.poll(async () => (await seen()).menus).toHaveLength(3);
});

test("the thread's text is aligned with the composer, even beside a scroll bar", async ({ app: { page, main } }) => {
  if (!main) throw new Error('This is a journey of the installed app');
  await page.keyboard.press('ControlOrMeta+Shift+o');
  await expect(articles(page)).toHaveCount(0);
  await chooseModel(page, 'Sandbox Tour');
  await ask(page, 'What can you do?');
  await ended(articles(page).nth(1));
  await main.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setSize(1280, 500));
  const log = page.getByRole('log', { name: 'Conversation' });
  await expect.poll(() => log.evaluate((scroller) => scroller.scrollHeight > scroller.clientHeight)).toBe(true);
  const columns = page.getByRole('main').locator('.measure');
  await expect
    .poll(() =>
      columns.evaluateAll((elements) => new Set(elements.map((column) => column.getBoundingClientRect().left)).size),
    )
    .toBe(1);
});

/** Runs in the page. Returns the names of controls that reach under the system's buttons. */
function covered(): string[] {
  const overlay = (navigator as unknown as { windowControlsOverlay: { getTitlebarAreaRect(): DOMRect } })
    .windowControlsOverlay;
  const free = overlay.getTitlebarAreaRect();
  const pressable = document.querySelectorAll('a, button, input, textarea, select, [role=combobox], [tabindex="0"]');
  return [...pressable].flatMap((element) => {
    const { left, right, top, bottom, width } = element.getBoundingClientRect();
    const under = width > 0 && top < free.bottom && bottom > 0 && (left < free.left || right > free.right);
    const shown =
      element.checkVisibility() && left < innerWidth && right > 0 && getComputedStyle(element).opacity !== '0';
    return under && shown && !element.closest('[inert], .sr-only, [aria-hidden=true]')
      ? [element.getAttribute('aria-label') ?? element.textContent ?? element.tagName]
      : [];
  });
}
