import '../../ui/styles/theme.css';
import { afterEach, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { fakeMessage } from '../../../tests/support/fake-data.ts';
import { closeApp, openApp } from '../../../tests/support/open-app.tsx';

afterEach(async () => {
  vi.restoreAllMocks();
  await closeApp();
});

const thread = page.getByRole('log', { name: 'Conversation' });

/** A chat of questions and answers, of which only the last few are drawn. */
const long = (turns: number) =>
  Array.from({ length: turns }, (_, at) => [
    fakeMessage({
      id: `q${at}`,
      conversationId: 'c2',
      parentId: at === 0 ? null : `a${at - 1}`,
      text: `Question ${at}\nin two lines`,
    }),
    fakeMessage({
      id: `a${at}`,
      conversationId: 'c2',
      parentId: `q${at}`,
      role: 'assistant',
      modelName: 'Haiku',
      text: `The **answer ${at}**.\n\n${'More words. '.repeat(40)}`,
    }),
  ]).flat();

/** What the browser's copy of the selection puts into the clipboard. */
async function copied(): Promise<{ plain: string; rich: string }> {
  const write = vi.spyOn(navigator.clipboard, 'write').mockResolvedValue();
  const clipboardData = new DataTransfer();
  const event = new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true });
  getSelection()?.focusNode?.dispatchEvent(event);
  expect(event.defaultPrevented).toBe(true);
  const item = write.mock.lastCall?.[0][0];
  if (!item) return { plain: clipboardData.getData('text/plain'), rich: clipboardData.getData('text/html') };
  const read = async (type: string) => (await item.getType(type)).text();
  return { plain: await read('text/plain'), rich: await read('text/html') };
}

const turnsIn = (words: string, name: string) =>
  [...words.matchAll(new RegExp(`${name} (\\d+)`, 'g'))].map(([, at]) => Number(at));
const upTo = (end: number, from = 0) => Array.from({ length: end - from }, (_, at) => from + at);

test('all of a chat is selected from within it, and copied whole: what is not drawn, and what is not loaded', async () => {
  await openApp('#chat/c2', { messages: long(50) });
  await expect.element(thread.getByText('answer 49')).toBeVisible();
  expect(thread.element().textContent).not.toContain('answer 20.');
  (thread.element() as HTMLElement).focus();
  await userEvent.keyboard('{Control>}a{/Control}');
  const { plain, rich } = await copied();
  for (const words of [plain, rich]) {
    expect(turnsIn(words, 'Question')).toEqual(upTo(50));
    expect(turnsIn(words, 'answer')).toEqual(upTo(50));
  }
  expect(plain.startsWith('You\n\nQuestion 0\nin two lines\n\nHaiku\n\nThe **answer 0**.')).toBe(true);
  expect(rich).toContain(
    '<h2>You</h2><p>Question 0<br>in two lines</p><h2>Haiku</h2><p>The <strong>answer 0</strong>.</p>',
  );
  expect(rich).not.toContain('Conversations');
});

test('a selection keeps its ends where they are while it is drawn out over a long chat, and what is between them is copied', async () => {
  await openApp('#chat/c2', { messages: long(25) });
  await expect.element(thread.getByText('answer 24')).toBeVisible();
  const wordsOf = (at: number) => thread.getByText(`answer ${at}`, { exact: true }).element().firstChild as Text;
  getSelection()?.setBaseAndExtent(wordsOf(24), 'answer'.length, wordsOf(24), 'answer'.length);
  const scroller = thread.element();
  await expect
    .poll(() => {
      scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }));
      scroller.scrollTop -= 600;
      return thread.getByText('answer 2', { exact: true }).query();
    })
    .not.toBeNull();
  getSelection()?.extend(wordsOf(2), 'answer'.length);
  expect(thread.getByText('answer 12', { exact: true }).query()).toBeNull();
  const { plain, rich } = await copied();
  for (const words of [plain, rich]) {
    expect(turnsIn(words, 'Question')).toEqual(upTo(25, 3));
    expect(turnsIn(words, 'answer')).toEqual(upTo(24, 3));
  }
  expect(plain).toMatch(/^2\./);
  expect(plain).toMatch(/The answer$/);
  expect(rich).not.toMatch(/class=|style=|<button/);
});

test('of a question that is shown in part, all is copied with the chat', async () => {
  const text = `${'word '.repeat(1_000)}the end`;
  await openApp('#chat/c2', {
    messages: [
      fakeMessage({ id: 'q', conversationId: 'c2', text }),
      fakeMessage({ id: 'a', conversationId: 'c2', parentId: 'q', role: 'assistant', text: 'Yes.' }),
    ],
  });
  await expect.element(thread.getByText('Yes.')).toBeVisible();
  (thread.element() as HTMLElement).focus();
  await userEvent.keyboard('{Control>}a{/Control}');
  expect((await copied()).plain).toContain('word the end\n\n');
});

test('all is the text of a field for one who writes', async () => {
  await openApp('#chat/c2', { messages: long(1) });
  await expect.element(thread.getByText('answer 0')).toBeVisible();
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.fill('my draft');
  await userEvent.keyboard('{Control>}a{/Control}');
  expect(getSelection()?.toString()).not.toContain('answer');
  await userEvent.keyboard('other');
  await expect.element(field).toHaveValue('other');
});
