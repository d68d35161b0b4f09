import type { Page } from '@playwright/test';
import { addLongConversation } from '../support/long-conversation.ts';
import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, firstInView, message, newChat, openChat, resting } from './chat.ts';
import { startedOnce } from './stored.ts';

const thread = (page: Page) => page.getByRole('log', { name: 'Conversation' });
const own = (page: Page) => articles(page).filter({ has: page.getByRole('heading', { name: 'You' }) });

async function sendAndWait(page: Page, text: string, index: number): Promise<void> {
  await ask(page, text);
  await expect(articles(page).nth(index)).toContainText(text);
  await ended(articles(page).nth(index));
}

test.describe('with one shared app', () => {
  test.describe.configure({ mode: 'default' });

  test('an edited message becomes a version beside the old one, and the pager shows each with its own replies', async ({
    app: { page },
  }) => {
    await newChat(page, 'Sandbox Echo');
    await sendAndWait(page, 'first wording', 1);
    await sendAndWait(page, 'a question below', 3);
    await own(page).first().hover();
    await own(page).first().getByRole('button', { name: 'Edit message' }).click();
    const field = page.getByRole('textbox', { name: 'New wording' });
    await expect(field).toBeFocused();
    await field.fill('second wording');
    await field.press('Enter');
    await expect(articles(page)).toHaveCount(2);
    await expect(articles(page).nth(1)).toContainText('second wording');
    await ended(articles(page).nth(1));
    await expect(own(page).first()).toContainText('2 / 2');
    await own(page).first().getByRole('button', { name: 'Previous version' }).click();
    await expect(own(page).first()).toContainText('first wording');
    await expect(articles(page).nth(3)).toContainText('a question below');
    await own(page).first().getByRole('button', { name: 'Next version' }).click();
    await expect(articles(page)).toHaveCount(2);
  });

  test('another model answers the same question after the picker showed its price difference', async ({
    app: { page },
  }) => {
    await newChat(page, 'Sandbox Echo');
    await sendAndWait(page, 'Who else?', 1);
    await articles(page).nth(1).getByRole('combobox', { name: 'Retry with…' }).click();
    const tour = page.getByRole('option', { name: /Sandbox Tour/ });
    await expect(tour).toContainText(/\$\S+ \/ \$\S+.*\$\S+(the same|[+-]\$)/);
    await tour.click();
    await expect(page.getByRole('article', { name: 'Sandbox Tour' })).toContainText('2 / 2');
    await ended(articles(page).nth(1));
    await articles(page).nth(1).getByRole('button', { name: 'Previous version' }).click();
    await expect(articles(page).nth(1)).toHaveAccessibleName('Sandbox Echo');
    await page.reload();
    await expect(articles(page).nth(1)).toHaveAccessibleName('Sandbox Echo');
  });

  test('a press near the end of the thread moves nothing under the pointer, even right after scrolling', async ({
    app: { page },
  }) => {
    await newChat(page, 'Sandbox Echo');
    await ask(page, Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n\n'));
    const answer = articles(page).nth(1);
    await ended(answer);
    const moved = await answer.getByRole('button', { name: 'billed' }).evaluate(async (button) => {
      const log = button.closest('[role=log]');
      if (!log) return null;
      const frames = async () => {
        for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
      };
      const toPixelsAboveEnd = (pixels: number) => {
        log.scrollTop = log.scrollHeight - log.clientHeight - pixels;
      };
      toPixelsAboveEnd(100);
      await frames();
      // The browser reports this scroll with the next frame, so after the press below.
      toPixelsAboveEnd(40);
      button.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, pointerType: 'mouse', button: 0 }));
      const pressed = log.scrollTop;
      await frames();
      return log.scrollTop - pressed;
    });
    expect(moved).toBe(0);
  });

  test('deleted messages are restored by Undo and by its shortcut, with everything below them', async ({
    app: { page },
  }) => {
    await newChat(page, 'Sandbox Echo');
    await sendAndWait(page, 'keep me', 1);
    await sendAndWait(page, 'below', 3);
    const remove = async () => {
      await own(page).first().hover();
      await own(page).first().getByRole('button', { name: 'Delete message' }).click();
      await expect(page.getByText('4 messages deleted')).toBeVisible();
      await expect(articles(page)).toHaveCount(0);
    };
    await remove();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(articles(page)).toHaveCount(4);
    await expect(page.getByText('4 messages deleted')).toHaveCount(0);
    await remove();
    await thread(page).focus();
    await page.keyboard.press('ControlOrMeta+z');
    await expect(articles(page)).toHaveCount(4);
    await expect(articles(page).nth(3)).toContainText('below');
  });

  test('a conversation is read and worked on by keyboard alone', async ({ app: { page } }) => {
    await newChat(page, 'Sandbox Echo');
    await sendAndWait(page, 'one', 1);
    await sendAndWait(page, 'two', 3);
    await message(page).focus();
    await page.keyboard.press('Shift+F6');
    await expect(thread(page)).toBeFocused();
    await page.keyboard.press('j');
    await expect(articles(page).nth(3)).toBeFocused();
    await page.keyboard.press('k');
    await expect(articles(page).nth(2)).toBeFocused();
    await page.keyboard.press('e');
    await expect(page.getByRole('textbox', { name: 'New wording' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(articles(page).nth(2)).toBeFocused();
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    await expect(articles(page).nth(3)).toContainText('2 / 2');
    await ended(articles(page).nth(3));
    await thread(page).focus();
    await page.keyboard.press('j');
    await expect(articles(page).nth(3)).toBeFocused();
    await page.keyboard.press('ArrowLeft');
    await expect(articles(page).nth(3)).toContainText('1 / 2');
    await expect(page.getByRole('status').filter({ hasText: 'Version 1 of 2' })).toHaveCount(1);
    await expect(articles(page).nth(3)).toBeFocused();
    await page.keyboard.press('Delete');
    await expect(page.getByText('1 message deleted')).toBeVisible();
    await page.keyboard.press('ControlOrMeta+z');
    await expect(articles(page).nth(3)).toContainText('1 / 2');
    await page.keyboard.press('ControlOrMeta+/');
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('Previous message');
    await page.keyboard.press('Escape');
  });

  test('no state of the thread has an accessibility fault', async ({ app: { page } }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await newChat(page, 'Sandbox Echo');
    await sendAndWait(page, 'one', 1);
    await articles(page).nth(1).getByRole('button', { name: 'Regenerate' }).click();
    await expect(articles(page).nth(1)).toContainText('2 / 2');
    await ended(articles(page).nth(1));
    await own(page).first().hover();
    await expectNoFault(page, 'versions');
    await articles(page).nth(1).getByRole('combobox', { name: 'Retry with…' }).click();
    await expect(page.getByRole('option').first()).toBeVisible();
    await expectNoFault(page, 'other models');
    await page.keyboard.press('Escape');
    await own(page).first().getByRole('button', { name: 'Edit message' }).click();
    await expectNoFault(page, 'editing');
    await page.keyboard.press('Escape');
    await own(page).first().getByRole('button', { name: 'Delete message' }).click();
    await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
    await expectNoFault(page, 'deleted');
  });

  test('find goes to the exact place in a long message, even one that is not drawn yet, and to the next match in it', async ({
    app: { page },
  }) => {
    await newChat(page, 'Sandbox Echo');
    const aside = `/* ${'-'.repeat(150)} */`;
    const line = (index: number) =>
      index % 200 === 100 ? `${aside} const needle${index} = 1;` : `const line${index} = 1;`;
    await ask(
      page,
      ['Look at this:', '```ts', ...Array.from({ length: 1000 }, (_, index) => line(index)), '```'].join('\n'),
    );
    await ended(articles(page).nth(1));
    await page.keyboard.press('ControlOrMeta+f');
    await page.getByRole('textbox', { name: 'Find in this chat' }).fill('needle');
    const status = page.getByRole('search', { name: 'Find in this chat' }).getByRole('status');
    /** Returns the current match, if it's in view. */
    const inView = () =>
      page.getByRole('log', { name: 'Conversation' }).evaluate((log) => {
        const [range] = [...(CSS.highlights.get('find-here') ?? [])] as Range[];
        const { top = -1, bottom = -1, right = 0 } = range?.getBoundingClientRect() ?? {};
        const view = log.getBoundingClientRect();
        if (!range || bottom <= top || top < view.top || bottom > view.bottom) return null;
        // A long line scrolls sideways inside its code block.
        if (right > view.right) return null;
        return range.startContainer.nodeValue?.slice(range.startOffset, range.startOffset + 'needle900'.length);
      });
    // The question contains the other matches.
    await expect(status).toHaveText('10 of 10');
    await expect.poll(inView).toBe('needle900');
    for (const [place, word] of [
      ['9 of 10', 'needle700'],
      ['8 of 10', 'needle500'],
    ] as const) {
      await page.keyboard.press('Enter');
      await expect(status).toHaveText(place);
      await expect.poll(inView).toBe(word);
    }
  });
});

test('ten thousand messages open at the end, scroll back without a jump, and open again where they were left', async ({
  launch,
  folder,
}) => {
  const dataFolder = await startedOnce(folder);
  addLongConversation(dataFolder, 10_000);

  const { page, close } = await launch({ dataFolder });
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Echo');
  await sendAndWait(page, 'another chat', 1);
  // Collects every message that is drawn while the chat opens.
  const drawn = await page.evaluateHandle(() => {
    const numbers = new Set<number>();
    new MutationObserver(() => {
      for (const row of document.querySelectorAll('[data-message^="long-"]'))
        numbers.add(Number(row.getAttribute('data-message')?.slice('long-'.length)));
    }).observe(document.body, { childList: true, subtree: true });
    return numbers;
  });
  await openChat(page, 'The long one');
  await expect(thread(page)).toContainText('Answer number 9999.');
  expect(Math.min(...(await drawn.evaluate((numbers) => [...numbers])))).toBeGreaterThan(9970);
  expect(await articles(page).count()).toBeLessThan(40);
  const hidden = () => thread(page).evaluate((log) => log.scrollHeight - log.clientHeight - log.scrollTop);
  // When the draft grows, the thread above it shrinks, and its end stays in view.
  const draftHeight = () => message(page).evaluate((box) => box.clientHeight);
  const [before, small] = [await thread(page).evaluate((log) => log.clientHeight), await draftHeight()];
  await message(page).fill('a line\n'.repeat(8));
  await expect.poll(() => thread(page).evaluate((log) => log.clientHeight)).toBeLessThan(before);
  await expect.poll(hidden).toBeLessThan(2);
  await message(page).fill('');

  const top = () => firstInView(page);
  await thread(page).hover();
  // The draft is small again. A notice above it may have appeared meanwhile.
  await expect.poll(draftHeight).toBe(small);
  await resting(page);
  let last = await top();
  for (let turns = 0; last > 9880 && turns < 100; turns++) {
    await page.mouse.wheel(0, -1200);
    await resting(page);
    const now = await top();
    // The view never moves back towards the end, and never further than the wheel.
    expect(now).toBeLessThanOrEqual(last);
    expect(last - now).toBeLessThan(25);
    last = now;
  }
  await expect(page.getByRole('button', { name: 'Latest' })).toBeVisible();
  await openChat(page, 'another chat');
  await expect(articles(page).nth(1)).toContainText('another chat');
  await openChat(page, 'The long one');
  // A row's height may have changed by a pixel, so the next message is accepted, too.
  await expect.poll(async () => Math.abs((await top()) - last)).toBeLessThanOrEqual(1);
  await close();

  const again = await launch({ dataFolder });
  await expect(thread(again.page)).toBeVisible();
  await expect.poll(async () => Math.abs((await firstInView(again.page)) - last)).toBeLessThanOrEqual(1);
  await again.page.getByRole('button', { name: 'Latest' }).click();
  await expect(thread(again.page)).toContainText('Answer number 9999.');
});
