import type { Page } from '@playwright/test';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, message } from './chat.ts';
import { expectDrawn } from './drawn.ts';

// All tests share one app.
test.describe.configure({ mode: 'default' });

async function newChat(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Shift+o');
  await expect(articles(page)).toHaveCount(0);
}

/** Pastes into the composer and returns what it gets from the system's clipboard. */
async function paste(page: Page): Promise<{ html: string; plain: string }> {
  const both = page.evaluate(
    () =>
      new Promise<{ html: string; plain: string }>((resolve) => {
        document.addEventListener(
          'paste',
          (event) => {
            const { clipboardData: data } = event;
            resolve({ html: data?.getData('text/html') ?? '', plain: data?.getData('text/plain') ?? '' });
          },
          { once: true, capture: true },
        );
      }),
  );
  await message(page).focus();
  await page.keyboard.press('ControlOrMeta+v');
  return both;
}

/** Copied text reaches the clipboard a little later, so this tries again. */
const pasted = (page: Page, plain: string | RegExp, html: string | RegExp) =>
  expect(async () => {
    const both = await paste(page);
    expect(both.plain).toMatch(plain);
    expect(both.html).toMatch(html);
  }).toPass({ timeout: 60_000 });

test("the simulated painter works in the installed app, whose cryptography differs from Node's", async ({
  app: { page },
}) => {
  await newChat(page);
  await chooseModel(page, 'Sandbox Painter');
  await ask(page, 'Paint the sea at dawn.');
  const answer = articles(page).nth(1);
  await ended(answer);
  await expect(answer.getByRole('alert')).toHaveCount(0);
  await expect(answer.getByRole('img', { name: 'Image made by Sandbox Painter' })).toBeVisible();
});

test("formulas and diagrams are drawn under the page's own policy and load nothing", async ({ app: { page } }) => {
  await newChat(page);
  await expectDrawn(page);
});

test('Copy puts rich text into documents and Markdown into plain text fields', async ({ app: { page } }) => {
  await newChat(page);
  await chooseModel(page, 'Sandbox Echo');
  await ask(page, 'a **bold** word');
  await ended(articles(page).nth(1));
  const answer = articles(page).nth(1);
  await answer.getByRole('button', { name: 'Copy answer' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Copied' })).toHaveCount(1);
  await pasted(page, 'a **bold** word', '<strong>bold</strong>');
  await answer.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Copy as Markdown' }).click();
  await pasted(page, 'a **bold** word', /^$/);
});

test('copying a selection of the chat copies its messages without the controls around them', async ({
  app: { page },
}) => {
  await newChat(page);
  await chooseModel(page, 'Sandbox Echo');
  for (const [index, words] of ['a **bold** word', 'a second _question_'].entries()) {
    await ask(page, words);
    await ended(articles(page).nth(2 * index + 1));
  }
  await message(page).fill('a draft that stays here');
  await page.getByRole('log', { name: 'Conversation' }).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('ControlOrMeta+c');
  const exchange = (words: string) => `You\n\n${words}\n\nSandbox Echo\n\n${words}`;
  const both = `${exchange('a **bold** word')}\n\n${exchange('a second _question_')}`;
  await expect.poll(async () => (await paste(page)).plain).toBe(both);
  const { html } = await paste(page);
  expect(html).toContain('<strong>bold</strong>');
  expect(html).not.toMatch(/draft|billed|sandbox\/|<button|<input/);

  const from = await articles(page).nth(2).getByText('a second').boundingBox();
  const to = await articles(page).nth(3).locator('em').boundingBox();
  if (!from || !to) throw new Error('The messages are not in view');
  // Deselects first: pressing on selected text would drag it.
  await page.mouse.click(to.x + 200, to.y + 200);
  // Selects with the mouse, from the question into the answer.
  await page.mouse.move(from.x + 1, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y + to.height / 2, { steps: 12 });
  await page.mouse.up();
  await page.keyboard.press('ControlOrMeta+c');
  await pasted(page, /^a second _question_\s+Sandbox Echo\s+a second$/, /^(?![\s\S]*(question<\/em>|<button|billed))/);
});
