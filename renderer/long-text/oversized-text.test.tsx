import '../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { bombs } from '../../tests/support/bombs.ts';
import { fakeMessage } from '../../tests/support/fake-data.ts';
import { closeApp, openApp } from '../../tests/support/open-app.tsx';

afterEach(closeApp);

const thread = page.getByRole('log', { name: 'Conversation' });

/** One sample of each mechanism: nodes of each kind, lines, marks, code, formulas. */
const chosen = new Set([
  ...[
    'marks on one letter',
    'marks by name',
    'one word',
    'one line of code',
    'both directions',
    'a list',
    'a long table',
  ],
  ...['paragraphs', 'code of a rare language', 'formulas', 'pictures'],
]);

/** Counts the elements added in one task and the total. These numbers don't depend on the machine's speed. */
function watchNodes() {
  const seen = { maxAdded: 0, most: 0 };
  const observer = new MutationObserver((records) => {
    let added = 0;
    for (const { addedNodes } of records)
      for (const node of addedNodes) if (node instanceof Element) added += node.querySelectorAll('*').length + 1;
    seen.maxAdded = Math.max(seen.maxAdded, added);
    seen.most = Math.max(seen.most, document.querySelectorAll('*').length);
  });
  observer.observe(document.body, { childList: true, subtree: true });
  return { seen, end: () => observer.disconnect() };
}

const frames = async (count: number) => {
  for (let index = 0; index < count; index++) await new Promise(requestAnimationFrame);
};

function conversation(texts: readonly ['answer' | 'question', string][]) {
  return texts.map(([author, text], index) =>
    fakeMessage({
      id: `m${index}`,
      conversationId: 'c1',
      parentId: index === 0 ? null : `m${index - 1}`,
      role: author === 'answer' ? 'assistant' : 'user',
      text,
    }),
  );
}

test('any conversation renders only a few elements at a time and in total', async () => {
  const texts = bombs.filter(([name]) => chosen.has(name)).map(([, text]) => text());
  expect(texts).toHaveLength(chosen.size);
  const { seen, end } = watchNodes();
  await openApp('#chat/c1', {
    messages: conversation(
      texts.flatMap((text) => [
        ['question', text],
        ['answer', text],
      ]),
    ),
  });
  await expect.poll(() => document.querySelectorAll('.prose:not([data-empty])').length).toBeGreaterThan(0);
  const scroller = thread.element();
  for (let step = 0; step < 40; step++) {
    scroller.scrollTop -= scroller.scrollHeight / 40;
    await frames(4);
    const marks = /\p{M}{9}/u.exec(scroller.textContent);
    expect(marks).toBeNull();
  }
  end();
  // A window with an ordinary chat has 3,000 elements.
  expect(seen.maxAdded).toBeLessThan(4_000);
  expect(seen.most).toBeLessThan(15_000);
});

test('the end of a long text is rendered when it is scrolled to', async () => {
  const text = `${'word\n\n'.repeat(5_000)}**the end**`;
  await openApp('#chat/c1', {
    messages: conversation([
      ['question', 'Why?'],
      ['answer', `${text}\n`],
    ]),
  });
  await expect.element(page.getByText('the end', { exact: true })).toBeVisible();
  const scroller = thread.element();
  await expect
    .poll(async () => {
      scroller.scrollTop = 0;
      await frames(2);
      return scroller.textContent?.includes('the end');
    })
    .toBe(false);
  await expect
    .poll(async () => {
      scroller.scrollTop = scroller.scrollHeight;
      await frames(2);
      return scroller.textContent?.includes('the end');
    })
    .toBe(true);
});

test('stacked combining marks are cut to a few, with a note of how many more there are', async () => {
  const text = `a${'\u0301'.repeat(1_008)}b`;
  await openApp('#chat/c1', {
    messages: conversation([
      ['question', text],
      ['answer', `${text} \`${text}\``],
    ]),
  });
  await expect.poll(() => thread.element().textContent?.match(/\[1,000 more marks\]/g)?.length).toBe(3);
});
