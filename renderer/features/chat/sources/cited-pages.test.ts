import { expect, test } from 'vitest';
import { getPages } from './sources.tsx';

const at = (text: string, quote: string) => ({ from: text.indexOf(quote), to: text.indexOf(quote) + quote.length });

test('each page is named once, with the words that rest on it, in the order of the answer', () => {
  const text = '- **First** of all.\n- Second thing.\n- Third thing.';
  const one = { url: 'https://www.example.com/a?b', title: 'One' };
  const two = { url: 'http://example.org:8080/', title: ' ' };
  expect(
    getPages(
      [
        { ...two, ...at(text, 'Second thing.') },
        { ...one, ...at(text, 'Third thing.') },
        { ...one, ...at(text, '- **First** of all.') },
      ],
      text,
    ),
  ).toEqual([
    { ...one, host: 'example.com', quotes: ['First of all.', 'Third thing.'] },
    { url: two.url, title: '', host: 'example.org:8080', quotes: ['Second thing.'] },
  ]);
});

test('places beyond the text, and links that the model wrote itself, quote nothing', () => {
  const url = 'https://example.com/';
  const text = `See ([example](${url})).`;
  expect(getPages([{ url, title: 'x', from: 4, to: text.length - 1 }], text)[0]?.quotes).toEqual([]);
  expect(getPages([{ url, title: 'x', from: 900, to: 1_000 }], text)[0]?.quotes).toEqual([]);
  expect(getPages([{ url: 'no address', title: '', from: 9, to: 2 }], text)[0]).toMatchObject({ host: 'no address' });
});
