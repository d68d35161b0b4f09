import type { ElectronApplication } from 'playwright';
import { expect, type RunningApp, test } from './app.ts';
import { message } from './chat.ts';
import { keep } from './stored.ts';

function getMain({ main }: RunningApp): ElectronApplication {
  if (!main) throw new Error('This is a journey of the installed app');
  return main;
}

const place = (app: RunningApp) =>
  getMain(app).evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    return {
      bounds: window?.getNormalBounds(),
      fullScreen: window?.isFullScreen(),
      zoom: window?.webContents.zoomLevel,
    };
  });

test("the window restores its place and zoom, and it and the menus use the core's language", async ({ launch }) => {
  const first = await launch();
  await first.page.getByRole('button', { name: 'Try it now' }).click();
  const bounds = { x: 60, y: 40, width: 900, height: 620 };
  await getMain(first).evaluate(({ BrowserWindow }, to) => BrowserWindow.getAllWindows()[0]?.setBounds(to), bounds);
  await expect.poll(async () => (await place(first)).bounds).toEqual(bounds);
  await first.page.keyboard.press('ControlOrMeta+=');
  await first.page.keyboard.press('ControlOrMeta+=');
  await expect.poll(async () => (await place(first)).zoom).toBe(1);
  await first.leave();

  const second = await launch();
  await expect.poll(() => place(second)).toMatchObject({ bounds, zoom: 1 });
  await expect(message(second.page)).toBeVisible();
  // On a busy machine the composer appears a moment before the shortcuts work.
  await expect(async () => {
    await second.page.keyboard.press('ControlOrMeta+0');
    expect((await place(second)).zoom).toBe(0);
  }).toPass();
  await getMain(second).evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setFullScreen(true));
  await expect.poll(async () => (await place(second)).fullScreen).toBe(true);
  await second.leave();

  keep(second.dataFolder, 'user', { language: 'en-XA' });
  const third = await launch();
  await expect.poll(() => place(third)).toMatchObject({ bounds, fullScreen: true, zoom: 0 });
  await expect(third.page.getByRole('textbox', { name: /^⟦.+⟧$/ })).toBeVisible();
  const menus = () => getMain(third).evaluate(({ Menu }) => Menu.getApplicationMenu()?.items.map(({ label }) => label));
  await expect.poll(menus).toEqual(Array.from({ length: 7 }, () => expect.stringMatching(/^⟦.+⟧$/)));
});
