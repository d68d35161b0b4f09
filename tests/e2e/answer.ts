import type { Page } from '@playwright/test';
import type { ElectronApplication } from 'playwright';
import { expect, type RunningApp } from './app.ts';

interface Asked {
  /** The text of the question. */
  readonly text: string;
}

/**
 * Triggers a question with `act` and answers it where the person is asked, which is outside the app's page. In the web
 * host the question is a page that `inspect` sees first. In Electron it's a message box of the system, which a test
 * can't see, so `inspect` isn't called.
 */
export async function answering(
  app: RunningApp,
  answer: string,
  act: () => Promise<unknown>,
  inspect: (question: Page) => Promise<void> = async () => {},
): Promise<Asked> {
  return app.main ? answerBox(app.main, answer, act) : answerPage(app, answer, act, inspect);
}

interface Box {
  message: string;
  detail: string;
  buttons: string[];
  defaultId: number;
  cancelId: number;
}

async function answerBox(main: ElectronApplication, answer: string, act: () => Promise<unknown>): Promise<Asked> {
  await main.evaluate(({ dialog }, label) => {
    const boxes = Object.assign(globalThis, { box: null as Box | null });
    dialog.showMessageBox = (async (...given: unknown[]) => {
      const box = given.at(-1) as Box;
      const { message, detail, buttons, defaultId, cancelId } = box;
      boxes.box = { message, detail, buttons, defaultId, cancelId };
      return { response: buttons.indexOf(label), checkboxChecked: false };
    }) as never;
  }, answer);
  await act();
  const boxShown = () => main.evaluate(() => (globalThis as { box?: Box | null }).box ?? null);
  await expect.poll(boxShown).not.toBeNull();
  const box = await boxShown();
  expect(box).toMatchObject({ defaultId: 0, cancelId: 0, buttons: ['No', expect.any(String)] });
  return { text: `${box?.message}\n${box?.detail}` };
}

async function answerPage(
  app: RunningApp,
  answer: string,
  act: () => Promise<unknown>,
  inspect: (question: Page) => Promise<void>,
): Promise<Asked> {
  const links = () => [...app.output().matchAll(/^Portico asks: .* Answer at (http:\S+)$/gm)].map(([, link]) => link);
  const before = links().length;
  await act();
  await expect.poll(() => links().length).toBe(before + 1);
  const context = await app.page.context().browser()?.newContext();
  if (!context) throw new Error('The web host has a browser.');
  const question = await context.newPage();
  await question.goto(links().at(-1) ?? '');
  await inspect(question);
  const text = await question.getByRole('main').textContent();
  await question.getByRole('button', { name: answer, exact: true }).click();
  await expect(question.getByRole('heading', { name: /^You said (yes|no)/ })).toBeVisible();
  await context.close();
  return { text: text ?? '' };
}
