import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getTitle } from './title.ts';

const titleFrom = (text: string) => getTitle({ text, attachments: [] }, 'en');

test('a title is the first line with words in it', () => {
  expect(titleFrom('\n\n  ## What is a   portico?\nMore.')).toBe('What is a portico?');
  expect(titleFrom('---\n> - quoted')).toBe('quoted');
});

test('a long line is cut at a word', () => {
  const title = titleFrom(`Explain ${'the difference between prices '.repeat(4)}`);
  expect(title).toBe('Explain the difference between prices the difference…');
});

test('a title is never empty, long or broken in the middle of a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      const title = titleFrom(text);
      expect(title.length).toBeGreaterThan(0);
      expect([...title].length).toBeLessThanOrEqual(61);
      expect(title.isWellFormed()).toBe(true);
    }),
  );
});

test('a chat without text is named after its file, or by a general name in the user’s language', () => {
  expect(getTitle({ text: ' ', attachments: [{ name: 'plan.pdf' }] }, 'en')).toBe('plan.pdf');
  expect(getTitle({ text: '?!', attachments: [] }, 'en')).toBe('New chat');
  expect(getTitle({ text: '?!', attachments: [] }, 'en-XA')).toBe('⟦Ñéw çhåt~~~⟧');
});

test.each([
  ['```ts\nconst secret = 1;\n```\n\nWhy does this fail?', 'Why does this fail?'],
  ['~~~\nnever closed', 'Code'],
  ['| name | price |\n|---|---|\n| a | 1 |\n\nSum this up.', 'Sum this up.'],
  ['| name | price |\n|---|---|\n| a | 1 |', 'Table'],
  ['    indented();\n\nWhat is this?', 'What is this?'],
  ['Explain `this` to me\n```\ncode\n```', 'Explain `this` to me'],
])('a title is never taken from code or a table: %j', (text, title) => {
  expect(titleFrom(text)).toBe(title);
});

test.each([
  ['A question about **bold** things', 'A question about bold things'],
  ['**Why** does [this page](https://example.com/a_b) not ~~open~~ load?', 'Why does this page not open load?'],
  ['Is 2**3**4 more than a * b * c, or __name__?', 'Is 2**3**4 more than a * b * c, or name?'],
])('a title has no Markdown marks: %j', (text, title) => {
  expect(titleFrom(text)).toBe(title);
});

test('a chat that begins with only code is named after its file, if there is one', () => {
  expect(getTitle({ text: '```\nx\n```', attachments: [{ name: 'plan.pdf' }] }, 'en')).toBe('plan.pdf');
});
