import { once } from 'node:events';
import type { ElectronApplication, Page } from '@playwright/test';
import { answerBoxes, expect, type RunningApp, test } from './app.ts';
import { articles, ask, chooseModel, ended, openChat } from './chat.ts';
import { dollars, getBalance } from './money.ts';

const words = async (page: Page) => (await articles(page).nth(1).textContent()) ?? '';

/** Starts several answers at once. The last chat is shown. */
async function stream(page: Page, titles: readonly string[]): Promise<void> {
  for (const title of titles) {
    await page.keyboard.press('ControlOrMeta+Shift+o');
    await expect(articles(page)).toHaveCount(0);
    await chooseModel(page, 'Sandbox Slow');
    await ask(page, title);
    await expect.poll(async () => (await words(page)).length).toBeGreaterThan(100);
  }
  await expect(page.getByRole('img', { name: 'Writing' })).toHaveCount(titles.length);
}

function getProgram({ main }: RunningApp): ElectronApplication {
  if (!main) throw new Error('this is not Electron');
  return main;
}

/** Closes the window as a click on its close button does. */
const closeWindow = (program: ElectronApplication) =>
  program.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());

test('quitting during answers asks first: the app ends now, ends after the answers, or continues in the tray, and a signal ends it without asking', async ({
  launch,
}) => {
  const endedAtOnce = await test.step('now: partial answers are kept with their costs', async () => {
    const running = await launch({ paced: true });
    const program = getProgram(running);
    const titles = ['Slowly, the first', 'Slowly, the second'];
    await running.page.getByRole('button', { name: 'Try it now' }).click();
    await stream(running.page, titles);
    const shown = (await words(running.page)).slice(0, 100);
    await answerBoxes(program, 'Cancel');
    await closeWindow(program);
    await expect.poll(async () => (await words(running.page)).length).toBeGreaterThan(shown.length + 50);
    await answerBoxes(program, 'Quit now');
    await running.leave();

    const next = await launch({ paced: true });
    const { page } = next;
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
    await expect.poll(() => getBalance(page)).toBe(10_000_000_000n - costs);
    return next;
  });

  const endedLater = await test.step('after the answers: the program ends automatically', async () => {
    const { page } = endedAtOnce;
    const program = getProgram(endedAtOnce);
    await page.keyboard.press('ControlOrMeta+Shift+o');
    await expect(articles(page)).toHaveCount(0);
    await chooseModel(page, 'Sandbox Tour');
    await ask(page, 'What is this?');
    await expect.poll(async () => (await words(page)).length).toBeGreaterThan(50);
    await answerBoxes(program, 'Quit when complete');
    const exited = once(program.process(), 'exit');
    await program.evaluate(({ app }) => app.quit());
    expect(await exited).toEqual([0, null]);

    const next = await launch({ paced: true });
    await openChat(next.page, /What is this/);
    await ended(articles(next.page).nth(1));
    await expect(articles(next.page).nth(1)).not.toContainText('Interrupted');
    return next;
  });

  await test.step('in the tray: answers continue without a window, and the next window shows them', async () => {
    const program = getProgram(endedLater);
    const titles = ['Slowly, the third', 'Slowly, the fourth'];
    const first = endedLater.page;
    await stream(first, titles);
    await first.evaluate(() => {
      location.hash = '#settings/chat';
    });
    await first.getByRole('switch', { name: 'Keep running without a window' }).click();
    await expect(first.getByText('Saved')).toBeVisible();
    await openChat(first, 'Slowly, the fourth');
    const before = await words(first);
    const closed = first.waitForEvent('close');
    await closeWindow(program);
    await closed;
    await expect.poll(() => program.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(0);
    const [page] = await Promise.all([
      program.waitForEvent('window'),
      // This is what happens when the program is started again.
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
});

test("the system's shutdown ends the program immediately, without a question", async ({ launch }) => {
  const running = await launch({ paced: true });
  const program = getProgram(running);
  await running.page.getByRole('button', { name: 'Try it now' }).click();
  await stream(running.page, ['Slowly, until the end']);
  await answerBoxes(program, 'Cancel');
  const exited = once(program.process(), 'exit');
  const prevented = program.evaluate(({ app, powerMonitor }) => {
    const event = { defaultPrevented: false, preventDefault: () => (event.defaultPrevented = true) };
    powerMonitor.emit('shutdown', event);
    // macOS asks the program at this point and takes a refusal for the whole system.
    app.emit('before-quit', event);
    return event.defaultPrevented;
  });
  expect(await prevented).toBe(false);
  expect(await exited).toEqual([0, null]);

  const { page } = await launch({ paced: true });
  await openChat(page, 'Slowly, until the end');
  await expect(articles(page).nth(1)).toContainText('Interrupted');
});
