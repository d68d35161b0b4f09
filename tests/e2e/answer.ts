import type { Page } from '@playwright/test';
import type { ElectronApplication } from 'playwright';
import { expect, type RunningApp } from './app.ts';

interface Asked {
  /** What the question said. */
  readonly text: string;
}

/**
 * Answers the question that `act` brings about, where the person is asked: outside of the app's page. `look` sees the page
 * of the web host first; a message box of the system nobody can look at from here.
 */
export async function answering(
  app: RunningApp,
  answer: string,
  act: () => Promise<unknown>,
  look: (question: Page) => Promise<void> = async () => {},
): Promise<Asked> {
  return app.main ? answerBox(app.main, answer, act) : answerPage(app, answer, act, look);
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
    const told = Object.assign(globalThis, { box: null as Box | null });
    dialog.showMessageBox = (async (...given: unknown[]) => {
      const box = given.at(-1) as Box;
      const { message, detail, buttons, defaultId, cancelId } = box;
      told.box = { message, detail, buttons, defaultId, cancelId };
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
  look: (question: Page) => Promise<void>,
): Promise<Asked> {
  const links = () => [...app.output().matchAll(/^Portico asks: .* Answer at (http:\S+)$/gm)].map(([, link]) => link);
  const before = links().length;
  await act();
  await expect.poll(() => links().length).toBe(before + 1);
  const context = await app.page.context().browser()?.newContext();
  if (!context) throw new Error('The web host has a browser.');
  const question = await context.newPage();
  await question.goto(links().at(-1) ?? '');
  await look(question);
  const text = await question.getByRole('main').textContent();
  await question.getByRole('button', { name: answer, exact: true }).click();
  await expect(question.getByRole('heading', { name: /^You said (yes|no)/ })).toBeVisible();
  await context.close();
  return { text: text ?? '' };
}
