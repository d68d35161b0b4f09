import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lexWhole } from './blocks.ts';
import { toHtml } from './to-html.ts';

test('each construct has its element', () => {
  const markdown =
    '# One\n\nSome **bold** and `a<b` [text](https://example.org/?a=1&b=2).\n\n- [x] done\n- open\n\n2. two\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | *2* |\n\n```ts\nif (a < b) {}\n```\n\n---\n';
  expect(toHtml(lexWhole(markdown))).toBe(
    [
      '<h1>One</h1>',
      '<p>Some <strong>bold</strong> and <code>a&lt;b</code> <a href="https://example.org/?a=1&amp;b=2">text</a>.</p>',
      '<ul><li>☑ done</li><li>open</li></ul><ol start="2"><li>two</li></ol>',
      '<blockquote><p>quoted</p></blockquote>',
      '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><em>2</em></td></tr></tbody></table>',
      '<pre><code>if (a &lt; b) {}</code></pre><hr>',
    ].join(''),
  );
});

const known =
  /^<\/?(h[1-6]|p|pre|code|blockquote|ul|ol|li|table|thead|tbody|tr|th|td|hr|br|strong|em|del|a)( start="\d+"| href="(https?|mailto):[^"<>]*")?>$/;

test('whatever is written, only elements of this list come out, with nothing in them but a number or a safe address', () => {
  const pieces = fc.constantFrom(
    ...['<img src=x onerror=alert(1)>', '<script>', '"><b>', '[a](javascript:x)', '![i](https://e.example/"onload=1)'],
    ...[
      '\n\n',
      '- ',
      '> ',
      '| a |\n|---|\n| ',
      '`',
      '**',
      '&lt;',
      '[x](https://e.example/<>")',
      'words ',
      '```\n',
      '# ',
      '&#60;b&#62;',
    ],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      for (const [tag] of toHtml(lexWhole(parts.join(''))).matchAll(/<[^>]*>?/g)) expect(tag).toMatch(known);
    }),
    { numRuns: 300 },
  );
});
