import '../../ui/styles/theme.css';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { fakeMessage } from '../../../tests/support/fake-data.ts';
import { closeApp, openApp, reload } from '../../../tests/support/open-app.tsx';

afterEach(closeApp);

const thread = page.getByRole('log', { name: 'Conversation' });
const createMessage = (id: string, text: string, parentId: string | null = null) =>
  fakeMessage({ id, conversationId: 'c2', text, parentId, role: id.startsWith('q') ? 'user' : 'assistant' });

/** Returns how many pixels an element is below the top of the thread. */
const below = (element: Element) => element.getBoundingClientRect().top - thread.element().getBoundingClientRect().top;
const scrollTo = async (top: number) => {
  const log = thread.element();
  await expect
    .poll(() => {
      log.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }));
      log.scrollTop = top;
      return Math.abs(log.scrollTop - top) < 2 && log.querySelector('.prose[aria-busy]') === null;
    })
    .toBe(true);
};

test('a long code block is as tall as its lines, and its header stays visible while scrolling', async () => {
  const code = Array.from({ length: 200 }, (_, line) => `const line${line} = ${line};`).join('\n');
  const answer = `\`\`\`ts\n${code}\n\`\`\`\n\nThe end.`;
  await openApp('#chat/c2', { messages: [createMessage('q', 'Code?'), createMessage('a', answer, 'q')] });
  const block = thread.getByRole('group', { name: 'TypeScript code' });
  await expect.element(block).toBeInTheDocument();
  await scrollTo(1500);
  const lines = block.element();
  expect(lines.scrollHeight).toBe(lines.clientHeight);
  expect(lines.clientHeight).toBeGreaterThan(3900);
  const copy = thread.getByRole('button', { name: 'Copy', exact: true });
  await expect.element(copy).toBeInViewport();
  expect(below(lines)).toBeLessThan(-1000);
  expect(below(copy.element())).toBeLessThan(40);
});

test('the names of compared models stay visible above the code headers in long columns', async () => {
  const code = `\`\`\`ts\n${'const a = 1;\n'.repeat(150)}\`\`\``;
  const column = (index: number) => ({
    ...createMessage(`a${index}`, code, 'q'),
    model: `openai/gpt-${index}`,
    modelName: `Model ${index}`,
    comparison: { id: 'x', column: index },
  });
  const messages = [{ ...createMessage('q', 'Which?'), comparing: 'x' }, column(0), column(1)];
  await openApp('#chat/c2', { messages });
  await expect.element(thread.getByRole('article', { name: 'Model 1' })).toBeInTheDocument();
  await scrollTo(1500);
  for (const name of ['Model 0', 'Model 1']) {
    const title = thread.getByRole('heading', { name });
    await expect.element(title).toBeInViewport();
    expect(below(title.element())).toBeLessThan(30);
    const copy = thread.getByRole('article', { name }).getByRole('button', { name: 'Copy', exact: true }).element();
    expect(below(copy)).toBeGreaterThan(40);
    expect(below(copy)).toBeLessThan(90);
  }
});

test('a column where Auto chose the model of another column gets a different name', async () => {
  const column = (index: number, model: string) => ({
    ...createMessage(`a${index}`, 'Words.', 'q'),
    model,
    modelName: 'Haiku',
    comparison: { id: 'x', column: index },
  });
  const messages = [
    { ...createMessage('q', 'Which?'), comparing: 'x' },
    column(0, 'router'),
    column(1, 'anthropic/haiku'),
  ];
  await openApp('#chat/c2', { messages });
  await expect.element(page.getByRole('button', { name: 'Continue with Auto: Haiku', exact: true })).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Continue with Haiku', exact: true })).toBeVisible();
});

test('a wide table fades at the side where it continues, and a table that fits does not fade', async () => {
  const row = (cells: number, word: string) => `|${`${word.repeat(30)}|`.repeat(cells)}`;
  const wide = `${row(12, 'x')}\n|${'---|'.repeat(12)}\n${row(12, 'y')}`;
  await openApp('#chat/c2', {
    messages: [createMessage('q', 'Table?'), createMessage('a', `${wide}\n\n| a |\n|---|\n| 1 |`, 'q')],
  });
  const tables = thread.getByRole('group', { name: 'Table' });
  await expect.element(tables.first()).toBeVisible();
  const fade = (index: number) => {
    const style = getComputedStyle(tables.nth(index).element());
    return [style.getPropertyValue('--fade-start'), style.getPropertyValue('--fade-end')];
  };
  await expect.poll(() => fade(0)).toEqual(['0px', '40px']);
  expect(fade(1)).toEqual(['0px', '0px']);
  const scroller = tables.first().element() as HTMLElement;
  scroller.focus();
  scroller.scrollLeft = scroller.scrollWidth;
  await expect.poll(() => fade(0)).toEqual(['40px', '0px']);
});

test('a new question moves to the top and stays there while its answer grows, after a chat switch and after a reload', async () => {
  const history = Array.from({ length: 20 }, (_, turn) => [
    createMessage(`q${turn}`, `Question ${turn}`, turn === 0 ? null : `a${turn - 1}`),
    createMessage(`a${turn}`, 'Words of an answer. '.repeat(40), `q${turn}`),
  ]).flat();
  const fake = await openApp('#chat/c2', { messages: history }, { answers: 'manual' });
  await page.getByRole('textbox', { name: 'Message' }).fill('And now?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const question = thread.getByText('And now?', { exact: true });
  const isOnTop = () => expect.poll(() => Math.round(below(question.element()))).toBeLessThan(40);
  await isOnTop();
  const follow = page.getByRole('button', { name: 'Follow reply' });
  fake.write('Short. ');
  await expect.element(thread).toMatchTextContent('Short.');
  await expect.element(follow).not.toBeInTheDocument();
  fake.write('A line of it.\n\n'.repeat(80));
  await expect.element(follow).toBeVisible();
  await isOnTop();

  await page.getByRole('link', { name: 'Explain WAL checkpoints in SQLite' }).click();
  await expect.element(question).not.toBeInTheDocument();
  fake.write('More of it.\n\n'.repeat(80));
  await page.getByRole('link', { name: /Refactor usage export/ }).click();
  await isOnTop();
  fake.finish();
  await isOnTop();
  await expect.poll(() => fake.data.scrollPositions.c2?.messageId).toBe(fake.data.messages.at(-2)?.id);
  await reload(fake, '#chat/c2');
  await isOnTop();
  await page.getByRole('button', { name: 'Latest' }).click();
  await expect
    .poll(() => thread.element().scrollHeight - thread.element().scrollTop - thread.element().clientHeight)
    .toBeLessThan(4);
});

test('the scroll position is saved at once, because the window may close a moment later', async () => {
  const fake = await openApp('#chat/c2', {
    messages: [createMessage('q', 'One'), createMessage('a', 'A line of it.\n\n'.repeat(200), 'q')],
  });
  await expect.poll(() => fake.data.scrollPositions.c2).toBeNull();
  // From here on, no timer fires.
  const paused = vi.spyOn(globalThis, 'setTimeout').mockReturnValue(0 as never);
  onTestFinished(() => paused.mockRestore());
  await scrollTo(1500);
  await expect.poll(() => fake.data.scrollPositions.c2?.messageId).toBe('a');
});

test('following the reply keeps its end in view, and reopening the chat restores the last seen position', async () => {
  const fake = await openApp(
    '#chat/c2',
    { messages: [createMessage('q', 'One'), createMessage('a', 'Two', 'q')] },
    { answers: 'manual' },
  );
  await page.getByRole('textbox', { name: 'Message' }).fill('And now?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.element(thread.getByText('And now?', { exact: true })).toBeVisible();
  fake.write('A line of it.\n\n'.repeat(80));
  await page.getByRole('button', { name: 'Follow reply' }).click();
  fake.write('The end so far.\n\n');
  await expect.element(thread.getByText('The end so far.')).toBeInViewport();
  // The seen position is saved a moment later. By then enough of the answer is above the viewport that its end is
  // visible.
  const answer = thread.getByRole('article').last();
  const above = () => answer.element().clientHeight - thread.element().clientHeight;
  await expect.poll(() => (fake.data.scrollPositions.c2?.offsetPx ?? 0) - above()).toBeGreaterThanOrEqual(0);
  await page.getByRole('link', { name: 'Explain WAL checkpoints in SQLite' }).click();
  await expect.element(thread.getByText('The end so far.')).not.toBeInTheDocument();
  fake.write('A line of it.\n\n'.repeat(80));
  // The text written meanwhile arrives long after the chat is shown at its last seen position.
  fake.hold('chat.watch', true);
  await page.getByRole('link', { name: /Refactor usage export/ }).click();
  await expect.element(thread.getByText('The end so far.')).toBeInViewport();
  for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame);
  fake.hold('chat.watch', false);
  await expect.element(page.getByRole('button', { name: 'Follow reply' })).toBeVisible();
  await expect.element(thread.getByText('The end so far.')).toBeInViewport();

  // A thread that follows its end is at the end again after a lost stream is restored.
  await page.getByRole('button', { name: 'Follow reply' }).click();
  await expect.element(page.getByRole('button', { name: 'Follow reply' })).not.toBeInTheDocument();
  fake.hold('chat.watch', true);
  fake.cut();
  fake.write(`${'A line of it.\n\n'.repeat(80)}The last of it.\n\n`);
  fake.hold('chat.watch', false);
  await expect.element(thread.getByText('The last of it.')).toBeInViewport();
  fake.write(`${'A line of it.\n\n'.repeat(80)}More after it.\n\n`);
  await expect.element(thread.getByText('More after it.')).toBeInViewport();
});

test('the top of a chat reached by one turn of the mouse wheel is restored to the pixel', async () => {
  const words = 'Words of an answer. '.repeat(200);
  await openApp('#chat/c2', {
    messages: [createMessage('q', 'One'), createMessage('a', words, 'q'), createMessage('q2', 'Two', 'a')],
  });
  await expect.element(thread).toBeVisible();
  const log = () => thread.element();
  await expect.poll(() => log().scrollTop).toBeGreaterThan(48);
  await expect.poll(() => log().querySelector('.prose[aria-busy]')).toBeNull();
  const latest = page.getByRole('button', { name: 'Latest' });
  await expect
    .poll(() => {
      // The browser scrolls before the page gets the wheel event.
      log().scrollTop = 0;
      log().dispatchEvent(new WheelEvent('wheel', { deltaY: -1500 }));
      return latest.query();
    })
    .not.toBeNull();
  await page.getByRole('link', { name: 'Explain WAL checkpoints in SQLite' }).click();
  await expect.element(thread.getByText('One', { exact: true })).not.toBeInTheDocument();
  await page.getByRole('link', { name: /Refactor usage export/ }).click();
  await expect.element(thread.getByText('One', { exact: true })).toBeInViewport();
  await expect.poll(() => log().scrollTop).toBe(0);
});
