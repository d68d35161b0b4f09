import type { Page } from '@playwright/test';
import { addLongConversation } from '../support/long-conversation.ts';
import { expect, test } from './app.ts';
import { firstInView, openChat, resting } from './chat.ts';
import { seeded } from './seeded.ts';

const thread = (page: Page) => page.getByRole('log', { name: 'Conversation' });

/** Scrolls by this many pixels and lets a few frames pass. */
const scroll = (page: Page, by: number) =>
  thread(page).evaluate(async (log, pixels) => {
    log.scrollTop += pixels;
    for (let frames = 4; frames > 0; frames--) await new Promise(requestAnimationFrame);
  }, by);

test('the app opens again at the scroll position it was closed at, even when scrolled just before', async ({
  launch,
  folder,
}) => {
  addLongConversation(await seeded(folder, 1, 2), 400);
  const first = await launch();
  await openChat(first.page, 'The long one');
  await expect(thread(first.page)).toContainText('Answer number 399.');
  await thread(first.page).hover();
  await first.page.mouse.wheel(0, -6000);
  await expect.poll(() => firstInView(first.page)).toBeLessThan(397);
  await resting(first.page);
  const before = await firstInView(first.page);
  // Scrolls over rows that were measured on the way up, so nothing shifts afterwards, and closes the window
  // right after the last pixel.
  await scroll(first.page, 1500);
  const reached = await firstInView(first.page);
  expect(reached).toBeGreaterThan(before + 1);
  await first.leave();

  const { page } = await launch();
  await openChat(page, 'The long one');
  await expect.poll(async () => Math.abs((await firstInView(page)) - reached)).toBeLessThanOrEqual(1);
});
