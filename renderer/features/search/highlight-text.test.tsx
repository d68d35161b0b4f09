import { afterEach, expect, test } from 'vitest';
import { highlightText } from './highlight-text.ts';

afterEach(() => document.body.replaceChildren());

const article = (dataset: Record<string, string>, text: string) => {
  const element = document.createElement('article');
  Object.assign(element.dataset, dataset);
  element.append(text);
  return element;
};

test('a match in a later part of an answer can be the highlighted one', () => {
  const root = document.createElement('div');
  root.append(
    article({ message: 'question' }, 'a fox?'),
    article({ message: 'first', parts: 'first second' }, 'fox and fox, then fox and Fox'),
  );
  document.body.append(root);
  const counts = new Map([
    ['question', 1],
    ['first', 2],
    ['second', 2],
  ]);
  const here = () => [...(CSS.highlights.get('find-here') ?? [])].map((range) => (range as Range).startOffset);
  const getMatch = (messageId: string, nth: number) =>
    highlightText(root, 'fox', { messageId, nth, countIn: (id) => counts.get(id) ?? 0 });
  for (const [messageId, nth, offset] of [
    ['question', 0, 2],
    ['first', 1, 8],
    ['second', 0, 18],
    ['second', 1, 26],
  ] as const) {
    const clear = getMatch(messageId, nth);
    expect(here()).toEqual([offset]);
    expect([...(CSS.highlights.get('find') ?? [])]).toHaveLength(5);
    clear();
  }
  expect(CSS.highlights.has('find-here')).toBe(false);
});
