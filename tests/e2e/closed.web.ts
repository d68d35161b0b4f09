import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, openChat } from './chat.ts';

test('a reasoning summary, the mark of a new answer and an unsent edit are still there after a restart', async ({
  launch,
}) => {
  const first = await launch({ paced: true });
  await first.page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(first.page, 'Sandbox Reasoner');
  // Each state is recorded when it's shown: on a busy machine the next one may be there before the test checks.
  const seen = await first.page.evaluateHandle(() => {
    const lines: { text: string; height: number }[] = [];
    new MutationObserver(() => {
      const summary = document.querySelector('article summary');
      if (summary) lines.push({ text: summary.textContent, height: summary.getBoundingClientRect().height });
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    return lines;
  });
  await ask(first.page, 'think about it');
  const thought = articles(first.page).nth(1).locator('summary');
  await expect(thought).toContainText(/^Thought (briefly|for \d+ s)$/);
  const thinking = (await seen.jsonValue()).filter(({ text }) => text.startsWith('Thinking'));
  expect(thinking.some(({ text }) => /^Thinking.*\w{3}/.test(text))).toBe(true);
  expect(Math.max(...thinking.map(({ height }) => height))).toBeLessThan(32);
  await ended(articles(first.page).nth(1));
  await ask(first.page, 'think once more');
  await expect(first.page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible();
  await first.page.keyboard.press('ControlOrMeta+Shift+o');
  await expect(articles(first.page)).toHaveCount(0);
  const mark = first.page.getByRole('img', { name: 'New answer' });
  await expect(mark).toBeVisible();
  await chooseModel(first.page, 'Sandbox Echo');
  await ask(first.page, 'first wording');
  await ended(articles(first.page).nth(1));
  await first.page.getByRole('log', { name: 'Conversation' }).focus();
  await articles(first.page).first().hover();
  await articles(first.page).first().getByRole('button', { name: 'Edit message' }).click();
  const field = first.page.getByRole('textbox', { name: 'New wording' });
  await field.fill('a wording that is not sent');
  await first.leave();

  const { page } = await launch({ dataFolder: first.dataFolder });
  await expect(page.getByRole('img', { name: 'New answer' })).toBeVisible();
  await openChat(page, 'think about it');
  await expect(articles(page).nth(1).locator('summary')).toContainText(/^Thought .* tokens/);
  await expect(page.getByRole('img', { name: 'New answer' })).toHaveCount(0);
  await openChat(page, /first wording/);
  const again = page.getByRole('textbox', { name: 'New wording' });
  await expect(again).toHaveValue('a wording that is not sent');
  await again.press('Enter');
  await expect(articles(page).nth(1)).toContainText('a wording that is not sent');
  await ended(articles(page).nth(1));
  await page.reload();
  await openChat(page, /first wording/);
  await expect(articles(page).nth(1)).toContainText('a wording that is not sent');
  await expect(again).toHaveCount(0);
});
