import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { ElectronApplication, Page } from '@playwright/test';
import { lockDataFolder } from '#core/core.ts';
import { expect, type RunningApp, test } from './app.ts';
import { articles, ask, chooseModel, ended, message, openChat } from './chat.ts';
import { stored } from './stored.ts';

const stopped = /core has stopped answering/;

function getProgram({ main }: RunningApp): ElectronApplication {
  if (!main) throw new Error('this is not Electron');
  return main;
}

/** Returns the process id of the core, or null while there is none. */
const getCore = (program: ElectronApplication): Promise<number | null> =>
  program.evaluate(({ app }) => app.getAppMetrics().find(({ name }) => name === 'Portico core')?.pid ?? null);

const getPage = (program: ElectronApplication): Promise<number> =>
  program.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getOSProcessId() ?? 0);

/** Starts an answer and leaves words in the composer. */
async function inTheMiddle(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Slow');
  await ask(page, 'Write slowly, please.');
  await expect.poll(async () => (await articles(page).nth(1).textContent())?.length ?? 0).toBeGreaterThan(120);
  await message(page).pressSequentially('half a thought');
}

async function running(program: ElectronApplication): Promise<number> {
  await expect.poll(() => getCore(program)).not.toBeNull();
  return (await getCore(program)) ?? 0;
}

test("typing works while the core is stopped, a killed core is restarted without loss, and a core that can't open its data folder ends the program with the reason", async ({
  launch,
}) => {
  const app = await launch({ paced: true });
  const { page } = app;
  const program = getProgram(app);
  await inTheMiddle(page);
  const first = await running(program);

  process.kill(first, 'SIGSTOP');
  // A page that waited for the core would show none of these keys.
  await drawKeys(page, 40);
  process.kill(first, 'SIGCONT');

  const answer = articles(page).nth(1);
  const words = answer.locator('.prose');
  const [typed, written] = [await message(page).inputValue(), (await words.textContent()) ?? ''];
  process.kill(first, 'SIGKILL');
  await expect(page.getByRole('status').filter({ hasText: stopped })).toBeVisible();
  await expect(answer).toContainText('Interrupted');
  await expect(page.getByText('Portico’s core is back')).toBeVisible();
  expect(await running(program)).not.toBe(first);
  expect(written).toContain('You asked');
  await expect(words).toContainText(written);
  await expect(message(page)).toHaveValue(typed);
  await expect(page.getByText(stopped)).toBeHidden();

  await chooseModel(page, 'Sandbox Echo');
  await message(page).press('Enter');
  await expect(articles(page).nth(3)).toContainText(typed);
  await expect(articles(page).nth(3).locator('footer')).toContainText('billed');
  await page.getByRole('link', { name: 'Credits' }).click();
  await expect(page.getByText('Held for running answers').locator('..')).toContainText('$0.00');

  await program.evaluate(({ dialog }) => {
    dialog.showErrorBox = (title, content) => void process.stdout.write(`${title}: ${content}\n`);
  });
  // Another process takes the data folder while there is no core.
  await rename(join(app.dataFolder, 'lock.db'), join(app.dataFolder, 'lock-of-the-first.db'));
  const unlock = lockDataFolder(app.dataFolder);
  const exited = once(program.process(), 'exit');
  process.kill(await running(program), 'SIGKILL');
  const [code] = await exited;
  unlock();
  expect(code).toBe(2);
  expect(app.output()).toContain('Portico cannot start: Portico is already running with the data folder');
});

test('a window whose page is killed or hangs reloads at the same place, its answer continues, and the core ends with the program', async ({
  launch,
}) => {
  const app = await launch({ paced: true });
  const program = getProgram(app);
  await inTheMiddle(app.page);
  const core = await running(program);
  const before = { location: new URL(app.page.url()).hash, draft: 'half a thought' };
  // The draft is stored a quarter of a second after the last key.
  await expect.poll(() => stored(app.dataFolder, `select * from drafts where text = 'half a thought'`)).toHaveLength(1);
  for (const [failure, end] of [
    [
      'killed',
      (electronApp: ElectronApplication) => getPage(electronApp).then((page) => process.kill(page, 'SIGKILL')),
    ],
    ['hanging', hang],
  ] as const) {
    await test.step(failure, async () => {
      const { answer: written } = await readWindow(program);
      const gone = async () => {
        const goneAt = waitForEvent(program, 'render-process-gone');
        await end(program);
        return goneAt;
      };
      const text = expect.stringContaining('This window had stopped');
      // Without a watchdog the page would stay dead.
      const recoveredMs = await loadedAfter(program, gone, { ...before, text });
      test.info().annotations.push({ type: `${failure}, recovered`, description: `${recoveredMs} ms` });
      await expect.poll(async () => (await readWindow(program)).answer).toBeGreaterThan(written);
      expect(await getCore(program)).toBe(core);
    });
  }
  await app.kill();
  await expect.poll(() => isAlive(core)).toBe(false);
});

test('a streaming answer survives a reload of the page, and a core that dies repeatedly ends in a message instead of a loop', async ({
  launch,
}) => {
  const app = await launch({ paced: true });
  const { page } = app;
  await page.getByRole('button', { name: 'Try it now' }).click();
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(articles(page).nth(1)).toContainText('Portico');
  await page.reload();
  await openChat(page, /What can you do/);
  const answer = articles(page).nth(1);
  await ended(answer);
  await expect(answer).toContainText('Welcome to Portico');
  await expect(answer).toContainText('billed');

  const program = getProgram(app);
  await program.evaluate(({ dialog }) => {
    dialog.showMessageBox = (async ({ message, buttons }: Electron.MessageBoxOptions) => {
      process.stdout.write(`${message} ${buttons?.join('/')}\n`);
      return { response: 0, checkboxChecked: false };
    }) as typeof dialog.showMessageBox;
  });
  const exited = once(program.process(), 'exit');
  for (let deaths = 0, last = 0; deaths < 6; deaths += 1) {
    await expect.poll(() => getCore(program), { intervals: [20] }).not.toBe(deaths === 0 ? null : last);
    last = await running(program);
    process.kill(last, 'SIGKILL');
  }
  await exited;
  expect(app.output()).toContain('The core of Portico has stopped several times in a row. Quit/Open log');
});

/** Presses keys, each when the one before is drawn. */
async function drawKeys(page: Page, count: number): Promise<void> {
  for (let drawn = await valueLength(page), end = drawn + count; drawn < end; drawn++) {
    await page.keyboard.press('x');
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    expect(await valueLength(page)).toBe(drawn + 1);
  }
}

const valueLength = async (page: Page): Promise<number> => (await message(page).inputValue()).length;

/** Waits until this event next happens to the page and returns the time by this process's clock. */
const waitForEvent = (program: ElectronApplication, event: 'render-process-gone' | 'dom-ready'): Promise<number> =>
  program
    .evaluate(
      ({ BrowserWindow }, name) =>
        new Promise<void>((done) =>
          // The type lists a separate overload for each event, so any one of them serves here.
          BrowserWindow.getAllWindows()[0]?.webContents.once(name as 'dom-ready', () => done()),
        ),
      event,
    )
    .then(() => performance.now());

/** Returns the milliseconds from the event that `begin` causes until the reloaded page shows this. */
async function loadedAfter(
  program: ElectronApplication,
  begin: () => Promise<number>,
  shown: Record<string, unknown>,
): Promise<number> {
  // Listens before the event can happen. A question to a page that is being reloaded may get no answer.
  const loaded = waitForEvent(program, 'dom-ready');
  const begun = await begin();
  await loaded;
  await expect.poll(() => readWindow(program), { intervals: [20] }).toMatchObject(shown);
  return Math.round(performance.now() - begun);
}

/**
 * Makes the page hang for good in a call that never returns. An endless loop would use up a
 * processor until the app notices.
 */
function hang(program: ElectronApplication): Promise<unknown> {
  return program.evaluate(({ BrowserWindow, dialog }) => {
    dialog.showMessageBox = () => new Promise(() => {});
    void BrowserWindow.getAllWindows()[0]
      ?.webContents.executeJavaScript('alert()')
      .catch(() => {});
  });
}

/** Reads a window that Playwright has lost: Playwright doesn't find a page again after it crashed. */
const readWindow = (
  program: ElectronApplication,
): Promise<{ location: string; draft: string; text: string; answer: number }> =>
  program.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(`({
      location: location.hash,
      draft: document.querySelector('textarea[aria-label="Message"]')?.value ?? '',
      text: document.body.innerText,
      answer: document.querySelectorAll('[role=log] article')[1]?.textContent.length ?? 0,
    })`),
  );

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
