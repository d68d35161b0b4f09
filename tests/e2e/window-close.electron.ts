import type { ElectronApplication, Page } from '@playwright/test';
import { expect, type RunningApp, test } from './app.ts';
import { articles, ask, chooseModel, openChat } from './chat.ts';
import { balanceOf, dollars } from './money.ts';

const titles = [/the first/, /the second/];
const words = async (page: Page) => (await articles(page).nth(1).textContent()) ?? '';

/** Two chats that are being answered; the second one is shown. */
async function stream(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Slow');
  await ask(page, 'Slowly, the first');
  await expect.poll(async () => (await words(page)).length).toBeGreaterThan(100);
  await page.keyboard.press('ControlOrMeta+Shift+o');
  await chooseModel(page, 'Sandbox Slow');
  await ask(page, 'Slowly, the second');
  await expect(page.getByRole('img', { name: 'Writing' })).toHaveCount(2);
  await expect.poll(async () => (await words(page)).length).toBeGreaterThan(100);
}

function programOf({ main }: RunningApp): ElectronApplication {
  if (!main) throw new Error('this is not Electron');
  return main;
}

/** As a click on its close button does it. */
const closeWindow = (program: ElectronApplication) =>
  program.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());

test('closing the last window ends the program: running answers are kept as interrupted, with what they cost', async ({
  launch,
}) => {
  const first = await launch({ paced: true });
  await stream(first.page);
  const shown = (await words(first.page)).slice(0, 100);
  await first.leave();

  const { page } = await launch({ dataFolder: first.dataFolder });
  let costs = 0n;
  for (const title of titles) {
    await openChat(page, title);
    const answer = articles(page).nth(1);
    await expect(answer).toContainText('Interrupted');
    await expect(answer.getByRole('button', { name: 'Continue' })).toBeVisible();
    await expect(answer.locator('footer')).toContainText('$');
    costs += dollars(await answer.locator('footer').textContent());
  }
  await expect(articles(page).nth(1)).toContainText(shown.slice(20));
  expect(costs).toBeGreaterThan(0n);
  await expect.poll(() => balanceOf(page)).toBe(10_000_000_000n - costs);
});

test('where the program outlives its windows, answers go on without one and are shown by the next', async ({
  launch,
}) => {
  const running = await launch({ paced: true });
  await stream(running.page);
  const program = programOf(running);
  // As on macOS.
  await program.evaluate(
    ({ app }) => void app.removeAllListeners('window-all-closed').on('window-all-closed', () => {}),
  );
  const before = await words(running.page);
  const closed = running.page.waitForEvent('close');
  await closeWindow(program);
  await closed;
  const [page] = await Promise.all([
    program.waitForEvent('window'),
    program.evaluate(({ app }) => void app.emit('activate')),
  ]);
  await expect(page.getByRole('img', { name: 'Writing' })).toHaveCount(2);
  for (const title of titles) {
    await openChat(page, title);
    const answer = articles(page).nth(1);
    await expect.poll(async () => (await words(page)).length).toBeGreaterThan(before.length + 20);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect(answer).toContainText('was billed');
  }
  await expect(page.getByRole('img', { name: 'Writing' })).toHaveCount(0);
});
