import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toHtml } from '#shared/markdown/to-html.ts';
import { hostileMarkdown, hostilePieces } from '../../tests/support/hostile-markdown.ts';
import { foreignIn } from '../../tests/support/own-elements.ts';
import { clipboardForm, formWithMaths } from './copy-forms.ts';
import { lexWhole } from './parser/parse-documents.ts';

const copied = async (text: string) => String(await toHtml(lexWhole(text), clipboardForm));

test('each Markdown construct becomes its HTML element', async () => {
  const markdown =
    '# One\n\nSome **bold** and `a<b` [text](https://example.org/?a=1&b=2).\n\n- [x] done\n- open\n\n2. two\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | *2* |\n\n```ts\nif (a < b) {}\n```\n\n---\n';
  expect(await copied(markdown)).toBe(
    [
      '<h1>One</h1>',
      '<p>Some <strong>bold</strong> and <code>a&lt;b</code> <a href="https://example.org/?a=1&amp;b=2" rel="noreferrer noopener">text</a>.</p>',
      '<ul><li>☑ done</li><li>open</li></ul><ol start="2"><li>two</li></ol>',
      '<blockquote><p>quoted</p></blockquote>',
      '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><em>2</em></td></tr></tbody></table>',
      '<pre><code>if (a &lt; b) {}</code></pre><hr>',
    ].join(''),
  );
});

test('any text gives only known elements whose attributes are numbers or safe addresses', async () => {
  for (const text of hostileMarkdown('https://evil.example')) {
    expect(foreignIn(await copied(text), 'copied'), text).toEqual([]);
  }
  const pieces = fc.array(fc.constantFrom(...hostilePieces('https://evil.example/x')), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(pieces, async (parts) => {
      expect(foreignIn(await copied(parts.join('')), 'copied')).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('formulas become MathML with their TeX, and invalid ones stay as written', async () => {
  const form = await formWithMaths();
  const copiedWith = async (text: string) => String(await toHtml(lexWhole(text), form));
  const markup = await copiedWith('So $x^2$ and\n\n$$\\frac{a}{b}$$\n');
  expect(markup).toContain('<msup><mi>x</mi><mn>2</mn></msup>');
  expect(markup).toContain('<annotation encoding="application/x-tex">\\frac{a}{b}</annotation>');
  expect(foreignIn(markup, 'answer')).toEqual([]);
  expect(await copiedWith('$\\nothing{$')).toBe('<p><code>$\\nothing{$</code></p>');
  for (const text of hostileMarkdown('https://evil.example')) {
    expect(foreignIn(await copiedWith(text), 'answer'), text).toEqual([]);
  }
});
