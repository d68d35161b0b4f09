import { once } from 'node:events';
import type { ElectronApplication, Page } from '@playwright/test';
import { answerBoxes, expect, type RunningApp, test } from './app.ts';
import { articles, ask, chooseModel, ended, openChat } from './chat.ts';
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

test('closing the last window while answers are written asks; ended at once, they are kept with what they cost', async ({
  launch,
}) => {
  const first = await launch({ paced: true });
  const program = programOf(first);
  await stream(first.page);
  const shown = (await words(first.page)).slice(0, 100);
  await answerBoxes(program, 'Cancel');
  await closeWindow(program);
  await expect.poll(async () => (await words(first.page)).length).toBeGreaterThan(shown.length + 50);
  await answerBoxes(program, 'Quit now');
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

test('asked to, the program waits for the answer and then ends by itself', async ({ launch }) => {
  const first = await launch({ paced: true });
  const program = programOf(first);
  await first.page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(first.page, 'Sandbox Tour');
  await ask(first.page, 'What is this?');
  await expect.poll(async () => (await words(first.page)).length).toBeGreaterThan(50);
  await answerBoxes(program, 'Quit when complete');
  const exited = once(program.process(), 'exit');
  await program.evaluate(({ app }) => app.quit());
  expect(await exited).toEqual([0, null]);

  const { page } = await launch({ dataFolder: first.dataFolder });
  await openChat(page, /What is this/);
  await ended(articles(page).nth(1));
  await expect(articles(page).nth(1)).not.toContainText('Interrupted');
});

test('kept running in the tray, answers go on without a window and are shown by the next; a signal ends all without a question', async ({
  launch,
}) => {
  const running = await launch({ paced: true });
  const program = programOf(running);
  await stream(running.page);
  await running.page.evaluate(() => {
    location.hash = '#settings/chat';
  });
  await running.page.getByRole('switch', { name: 'Keep running without a window' }).click();
  await expect(running.page.getByText('Saved')).toBeVisible();
  await openChat(running.page, /the second/);
  const before = await words(running.page);
  const closed = running.page.waitForEvent('close');
  await closeWindow(program);
  await closed;
  await expect.poll(() => program.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(0);
  const [page] = await Promise.all([
    program.waitForEvent('window'),
    // As when the program is started again.
    program.evaluate(({ app }) => void app.emit('second-instance', {}, [])),
  ]);
  await expect(page.getByRole('img', { name: 'Writing' })).toHaveCount(2);
  for (const title of titles) {
    await openChat(page, title);
    await expect.poll(async () => (await words(page)).length).toBeGreaterThan(before.length + 20);
  }
  const answer = articles(page).nth(1);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(answer).toContainText('was charged');
  const exited = once(program.process(), 'exit');
  program.process().kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});
