import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isOwnMarkup } from '#shared/markdown/own-markup.ts';
import { hostileMarkdown, hostilePieces } from '../../../../tests/support/hostile-markdown.ts';
import { foreignIn } from '../../../../tests/support/own-elements.ts';
import { renderMarkdown } from './render-markdown.ts';

test('unclosed raw HTML cannot turn the words after it into a tag', async () => {
  const refresh = '<meta http-equiv=refresh content=0;url=https://evil.example/ x';
  for (const open of ['<pre>', '<script>', '<style>', '<kbd>', '<code>', '<textarea>']) {
    expect(await renderMarkdown(`a ${open} ${refresh}`)).toBe(
      `<p>a ${escaped(open)} ${escaped('<meta http-equiv=refresh content=0;url=')}<a href="https://evil.example/" rel="noreferrer noopener">https://evil.example/</a> x</p>`,
    );
    expect(await renderMarkdown(`# ${open} <meta x\n\n- a ${open} **<meta y**`)).toBe(
      `<h3>${escaped(`${open} <meta x`)}</h3><ul><li>a ${escaped(`${open} `)}<strong>${escaped('<meta y')}</strong></li></ul>`,
    );
  }
});
const escaped = (text: string) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');

test('each Markdown construct has its element, and a picture becomes a link', async () => {
  const text = [
    '# One\n\nSome **bold** *soft* ~~gone~~ `a<b` [text](https://example.org/?a=1&b=2 "t") <b>raw</b>  \nline $x^2$',
    '- [x] done\n- open\n\n2. two\n\n> quoted\n\n| a | b |\n|:-:|--:|\n| 1 | *2* |',
    '<div>\nblock\n</div>\n\n```ts\nlet a = "<b>";\n```\n\n---\n\n![p](https://example.org/p.png) ![](data:image/png;base64,AA)',
  ].join('\n\n');
  const [head, list, rest] = (await renderMarkdown(text)).split(/(?=<ul>)|(?=<p class="raw">)/);
  expect(head).toMatch(
    /^<h3>One<\/h3><p>Some <strong>bold<\/strong> <em>soft<\/em> <del>gone<\/del> <code>a&lt;b<\/code> <a href="https:\/\/example\.org\/\?a=1&amp;b=2" rel="noreferrer noopener">text<\/a> &lt;b&gt;raw&lt;\/b&gt;<br>line <math .*<\/math><\/p>$/,
  );
  expect(list).toBe(
    [
      '<ul><li>☑ done</li><li>open</li></ul><ol start="2"><li>two</li></ol><blockquote><p>quoted</p></blockquote>',
      '<table><thead><tr><th align="center">a</th><th align="right">b</th></tr></thead>',
      '<tbody><tr><td align="center">1</td><td align="right"><em>2</em></td></tr></tbody></table>',
    ].join(''),
  );
  expect(rest).toMatch(
    /^<p class="raw">&lt;div&gt;\nblock\n&lt;\/div&gt;\n*<\/p><pre><code><span class="t-keyword">let/,
  );
  expect(rest).toMatch(
    /<hr><p><a href="https:\/\/example\.org\/p\.png" rel="noreferrer noopener">p<\/a> picture<\/p>$/,
  );
});

test('HTML elements that models use are rendered, and others, unclosed ones or ones with attributes are shown as text', async () => {
  expect(await renderMarkdown('H<sub>2</sub>O, x<SUP>*n*</SUP><br/>press <kbd>Ctrl</kbd>')).toBe(
    '<p>H<sub>2</sub>O, x<sup><em>n</em></sup><br>press <kbd>Ctrl</kbd></p>',
  );
  expect(await renderMarkdown('Said[^1] and[^two].\n\n[^1]: First *source*\nof it.\n[^two]: Second.')).toBe(
    '<p>Said<sup>1</sup> and<sup>two</sup>.</p><p><sup>1</sup> First <em>source</em>\nof it.</p><p><sup>two</sup> Second.</p>',
  );
  expect(
    await renderMarkdown(
      'before\n<details>\n<summary>The *proof*</summary>\n\n- one\n\n<details>\n\ninner\n</details>\n</details>\n\nafter',
    ),
  ).toBe(
    '<p>before</p><details open><summary>The <em>proof</em></summary><ul><li>one</li></ul><details open><p>inner</p></details></details><p>after</p>',
  );
  for (const words of ['<sub class=a>x</sub>', '<sup>x', '<mark>x</mark>', 'a <kbd onclick=a>', '[^]', '[^a b]'])
    expect(await renderMarkdown(words)).toBe(`<p>${escaped(words)}</p>`);
});

test('the first code block of a language is coloured like the next one', async () => {
  const code = "```js\nconst wide = 'words';\nfunction f(a) { return a + 1; } // note\n```";
  const first = await renderMarkdown(code);
  expect(first).toContain('<span class="t-keyword">const</span>');
  expect(first).toContain('<span class="t-comment">// note</span>');
  expect(await renderMarkdown(code)).toBe(first);
});

test('added and removed lines of a diff are coloured', async () => {
  expect(await renderMarkdown('```diff\n-old\n+new\n```')).toMatch(/t-deleted">.*old.*t-inserted">.*new/s);
});

test('2,500 hostile texts, and combinations of them, contain only our own elements', async () => {
  const foreign = async (text: string) => {
    const markup = await renderMarkdown(text);
    // The final check of a page agrees with the renderer, so it never has to replace the markup.
    return isOwnMarkup(markup) ? foreignIn(markup, 'answer') : [markup];
  };
  for (const text of hostileMarkdown('https://evil.example')) expect(await foreign(text), text).toEqual([]);
  const pieces = fc.array(fc.oneof(fc.constantFrom(...hostilePieces('https://evil.example/x')), fc.string()), {
    maxLength: 10,
  });
  await fc.assert(
    fc.asyncProperty(pieces, async (parts) => {
      expect(await foreign(parts.join(''))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('formulas of every kind are rendered as MathML and nothing else', async () => {
  const kinds = [
    ...['\\color{red}{x}', '\\fcolorbox{red}{blue}{x}', '\\boxed{x}', '\\cancel{x}', '\\pmb{x}', '\\overbrace{x}^{n}'],
    ...['\\begin{array}{c|c}1&2\\\\\\hline 3&4\\end{array}', '\\begin{cases}a\\\\b\\end{cases}', '\\sqrt[3]{x}'],
    ...['a \\quad b', 'a \\qquad b', 'a \\hspace{1cm} b', 'a \\equiv b \\pmod{n}'],
    ...['\\rule{1em}{2em}', '\\raisebox{1em}{x}', '\\phantom{x}', '\\smash{x}', '\\mathllap{x}', '\\Bigg( x \\Bigg)'],
    ...['x \\tag{1}', '\\xrightarrow[a]{b}', '\\binom{n}{k}', '\\text{words}', '\\mathbb{R}', '\\Huge x', '\\not= y'],
    ...['\\sum_{i=0}^n', '\\lim_{x}', '\\underline{x}', '\\hat{x}', '\\vec{x}', '\\phase{-78^\\circ}', '\\angl{n}'],
    ...[
      '\\left\\{ x \\middle| y \\right.',
      '\\begin{CD}A@>>>B\\end{CD}',
      '\\vcenter{x}',
      '\\operatorname{f}',
      'a\\\\b',
    ],
  ];
  for (const tex of kinds) {
    const markup = await renderMarkdown(`$$\n${tex}\n$$`);
    expect(markup, tex).toContain('<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">');
    expect(foreignIn(markup, 'answer'), tex).toEqual([]);
  }
});

test('a mail link in an exported page cannot attach a file', async () => {
  const page = await renderMarkdown(
    '[write](mailto:a@example.com?%61ttach=/etc/passwd&subject=Hi) <mailto:b@example.com?bcc=c>',
  );
  expect([...page.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
    'mailto:a@example.com?subject=Hi',
    'mailto:b@example.com',
  ]);
});
