import { expect, test } from 'vitest';
import { getPages } from './sources.tsx';

const getRange = (text: string, quote: string) => ({
  from: text.indexOf(quote),
  to: text.indexOf(quote) + quote.length,
});

test('each cited page is listed once, with the words that cite it, in the order of the answer', () => {
  const text = '- **First** of all.\n- Second thing.\n- Third thing.';
  const first = { url: 'https://www.example.com/a?b', title: 'One' };
  const second = { url: 'http://example.org:8080/', title: ' ' };
  expect(
    getPages(
      [
        { ...second, ...getRange(text, 'Second thing.') },
        { ...first, ...getRange(text, 'Third thing.') },
        { ...first, ...getRange(text, '- **First** of all.') },
      ],
      text,
    ),
  ).toEqual([
    { ...first, host: 'example.com', quotes: ['First of all.', 'Third thing.'] },
    { url: second.url, title: '', host: 'example.org:8080', quotes: ['Second thing.'] },
  ]);
});

test('a citation beyond the text, or on a link that the model wrote itself, has no quotes', () => {
  const url = 'https://example.com/';
  const text = `See ([example](${url})).`;
  expect(getPages([{ url, title: 'x', from: 4, to: text.length - 1 }], text)[0]?.quotes).toEqual([]);
  expect(getPages([{ url, title: 'x', from: 900, to: 1_000 }], text)[0]?.quotes).toEqual([]);
  expect(getPages([{ url: 'no address', title: '', from: 9, to: 2 }], text)[0]).toMatchObject({ host: 'no address' });
});
