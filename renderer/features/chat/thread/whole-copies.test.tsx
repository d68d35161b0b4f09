import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { type Locator, page, userEvent } from 'vitest/browser';
import { copiedSelection } from '../../../../tests/support/copied-selection.ts';
import { fakeMessage } from '../../../../tests/support/fake-data.ts';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const thread = page.getByRole('log', { name: 'Conversation' });

/** A chat of questions and answers, of which only the last few are rendered. */
const createLongChat = (turns: number) =>
  Array.from({ length: turns }, (_, index) => [
    fakeMessage({
      id: `q${index}`,
      conversationId: 'c2',
      parentId: index === 0 ? null : `a${index - 1}`,
      text: `Question ${index}\nin two lines`,
    }),
    fakeMessage({
      id: `a${index}`,
      conversationId: 'c2',
      parentId: `q${index}`,
      role: 'assistant',
      modelName: 'Haiku',
      text: `The **answer ${index}**.\n\n${'More words. '.repeat(40)}`,
    }),
  ]).flat();

async function copied(): Promise<{ plain: string; rich: string }> {
  const both = await copiedSelection();
  if (!both) throw new Error('The page did not handle the copy event');
  return both;
}

const frames = () => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));

/** Scrolls up until `words` are rendered in the middle of the viewport and stay there. Returns their text node. */
async function scrolledUpTo(words: Locator): Promise<Text> {
  const scroller = thread.element();
  const reached = () => {
    const seen = words.query()?.getBoundingClientRect();
    return seen !== undefined && seen.top > 0 && seen.bottom < innerHeight;
  };
  await expect
    .poll(async () => {
      scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }));
      const rendered = words.query();
      if (rendered) rendered.scrollIntoView({ block: 'center' });
      else scroller.scrollTop -= 500;
      await frames();
      return reached();
    })
    .toBe(true);
  return words.element().firstChild as Text;
}

const turnsIn = (words: string, name: string) =>
  [...words.matchAll(new RegExp(`${name} (\\d+)`, 'g'))].map(([, index]) => Number(index));
const getNumbers = (end: number, from = 0) => Array.from({ length: end - from }, (_, index) => from + index);

test('selecting all of a chat copies every message, including those that are not rendered or not loaded', async () => {
  await openApp('#chat/c2', { messages: createLongChat(50) });
  await expect.element(thread.getByText('answer 49')).toBeVisible();
  expect(thread.element().textContent).not.toContain('answer 20.');
  (thread.element() as HTMLElement).focus();
  await userEvent.keyboard('{Control>}a{/Control}');
  const { plain, rich } = await copied();
  for (const words of [plain, rich]) {
    expect(turnsIn(words, 'Question')).toEqual(getNumbers(50));
    expect(turnsIn(words, 'answer')).toEqual(getNumbers(50));
  }
  expect(plain.startsWith('You\n\nQuestion 0\nin two lines\n\nHaiku\n\nThe **answer 0**.')).toBe(true);
  expect(rich).toContain(
    '<h2>You</h2><p>Question 0<br>in two lines</p><h2>Haiku</h2><p>The <strong>answer 0</strong>.</p>',
  );
  expect(rich).not.toContain('Conversations');
});

test('a selection that is extended over a long chat keeps both ends, and everything between them is copied', async () => {
  await openApp('#chat/c2', { messages: createLongChat(25) });
  await expect.element(thread.getByText('answer 24')).toBeVisible();
  const getWords = (index: number) => thread.getByText(`answer ${index}`, { exact: true }).element().firstChild as Text;
  getSelection()?.setBaseAndExtent(getWords(24), 'answer'.length, getWords(24), 'answer'.length);
  const start = await scrolledUpTo(thread.getByText('answer 2', { exact: true }));
  getSelection()?.extend(start, 'answer'.length);
  expect(thread.getByText('answer 12', { exact: true }).query()).toBeNull();
  const { plain, rich } = await copied();
  for (const words of [plain, rich]) {
    expect(turnsIn(words, 'Question')).toEqual(getNumbers(25, 3));
    expect(turnsIn(words, 'answer')).toEqual(getNumbers(24, 3));
  }
  expect(plain).toMatch(/^2\./);
  expect(plain).toMatch(/The answer$/);
  expect(rich).not.toMatch(/class=|style=|<button/);
});

test('completely selected messages are copied as Markdown even if all are rendered, and a partly selected message as it is displayed', async () => {
  await openApp('#chat/c2', { messages: createLongChat(2) });
  await expect.element(thread.getByText('answer 1')).toBeVisible();
  (thread.element() as HTMLElement).focus();
  await userEvent.keyboard('{Control>}a{/Control}');
  const { plain } = await copied();
  expect(plain.startsWith('You\n\nQuestion 0\nin two lines\n\nHaiku\n\nThe **answer 0**.')).toBe(true);

  const getWords = (index: number) => thread.getByText(`answer ${index}`, { exact: true }).element().firstChild as Text;
  getSelection()?.setBaseAndExtent(getWords(0), 0, getWords(1), 'answer 1'.length);
  const part = await copied();
  expect(part.plain).toMatch(/^answer 0\.\n\n/);
  expect(part.plain).toMatch(/You\n\nQuestion 1\nin two lines\n\nHaiku\n+The answer 1$/);
  expect(part.rich).toContain('<h2>You</h2><p>Question 1<br>in two lines</p>');
});

test('only the selected part of a long answer is copied, although not all of that part is rendered', async () => {
  const text = Array.from({ length: 400 }, (_, index) => `Paragraph ${index} ends.`).join('\n\n');
  await openApp('#chat/c2', {
    messages: [
      fakeMessage({ id: 'q', conversationId: 'c2', text: 'Long, please' }),
      fakeMessage({ id: 'a', conversationId: 'c2', parentId: 'q', role: 'assistant', modelName: 'Haiku', text }),
      fakeMessage({ id: 'q2', conversationId: 'c2', parentId: 'a', text: 'Thanks' }),
      fakeMessage({ id: 'a2', conversationId: 'c2', parentId: 'q2', role: 'assistant', text: 'A pleasure.' }),
    ],
  });
  await expect.element(thread.getByText('A pleasure.')).toBeVisible();
  // Waits until everything is parsed, because parsing replaces the text nodes.
  await expect.poll(() => thread.element().querySelector('.prose[aria-busy]')).toBeNull();
  const end = thread.getByText('A pleasure.', { exact: true }).element().firstChild as Text;
  getSelection()?.setBaseAndExtent(end, 'A pleasure'.length, end, 'A pleasure'.length);
  const start = await scrolledUpTo(thread.getByText('Paragraph 40 ends.', { exact: true }));
  getSelection()?.extend(start, 'Paragraph '.length);
  expect(thread.element().querySelectorAll('[data-empty]').length).toBeGreaterThan(0);
  const { plain } = await copied();
  expect(plain.slice(0, 40)).toMatch(/^40 ends\./);
  expect(plain).not.toContain('Paragraph 39 ');
  for (const index of [41, 200, 399]) expect(plain).toContain(`Paragraph ${index} ends.`);
  expect(plain).toMatch(/A pleasure$/);
});

test('a question that is shown in part is copied completely with the chat', async () => {
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

test('Ctrl+A in the composer selects only the text of the composer', async () => {
  await openApp('#chat/c2', { messages: createLongChat(1) });
  await expect.element(thread.getByText('answer 0')).toBeVisible();
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.fill('my draft');
  await userEvent.keyboard('{Control>}a{/Control}');
  expect(getSelection()?.toString()).not.toContain('answer');
  await userEvent.keyboard('other');
  await expect.element(field).toHaveValue('other');
});
