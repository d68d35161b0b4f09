import type { Page } from '@playwright/test';
import { addLongConversation } from '../support/long-conversation.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, firstInView, openChat, resting } from './chat.ts';

const thread = (page: Page) => page.getByRole('log', { name: 'Conversation' });

/** Scrolls by so many pixels, and lets a few frames pass. */
const scroll = (page: Page, by: number) =>
  thread(page).evaluate(async (log, pixels) => {
    log.scrollTop += pixels;
    for (let frames = 4; frames > 0; frames--) await new Promise(requestAnimationFrame);
  }, by);

test('an unsent wording of a message is open again after the app was closed in the middle of it', async ({
  launch,
}) => {
  const first = await launch();
  await first.page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(first.page, 'Sandbox Echo');
  await ask(first.page, 'first wording');
  await ended(articles(first.page).nth(1));
  await thread(first.page).focus();
  await articles(first.page).first().hover();
  await articles(first.page).first().getByRole('button', { name: 'Edit message' }).click();
  const field = first.page.getByRole('textbox', { name: 'New wording' });
  await field.fill('a wording that is not sent');
  await first.leave();

  const { page } = await launch({ dataFolder: first.dataFolder });
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

test('a place that was reached the moment the app was closed is where it opens again', async ({ launch }) => {
  // Three starts of the app.
  test.slow();
  const seed = await launch();
  await seed.page.getByRole('button', { name: 'Try it now' }).click();
  await seed.close();
  addLongConversation(seed.dataFolder, 400);
  const first = await launch({ dataFolder: seed.dataFolder });
  await openChat(first.page, 'The long one');
  await expect(thread(first.page)).toContainText('Answer number 399.');
  await thread(first.page).hover();
  await first.page.mouse.wheel(0, -6000);
  await expect.poll(() => firstInView(first.page)).toBeLessThan(397);
  await resting(first.page);
  const before = await firstInView(first.page);
  // Over rows that were measured on the way up, so that nothing moves after it; and nothing waits between the last pixel and the
  // end of the window.
  await scroll(first.page, 1500);
  const left = await firstInView(first.page);
  expect(left).toBeGreaterThan(before + 1);
  await first.leave();

  const { page } = await launch({ dataFolder: first.dataFolder });
  await openChat(page, 'The long one');
  await expect.poll(async () => Math.abs((await firstInView(page)) - left)).toBeLessThanOrEqual(1);
});
