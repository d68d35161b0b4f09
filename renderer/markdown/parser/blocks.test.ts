import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lexMarkdown } from '#shared/markdown/lex-markdown.ts';
import { createBlocks, lexWhole } from './parse-documents.ts';

const pieces = [
  '# Heading\n',
  'Some *prose* with **bold** and `code`.\n',
  '\n',
  '\n\n',
  '- item\n',
  '  - nested\n',
  '1. first\n',
  '2. second\n',
  '> quoted\n',
  '> - list in quote\n',
  '```ts\nconst a = 1;\n',
  '```\n',
  '~~~\n',
  '| a | b |\n',
  '|---|--:|\n',
  '| 1 | 2 |\n',
  '---\n',
  'Title\n===\n',
  '    indented code\n',
  '[ref]: https://example.org\n',
  'see [ref] and [text](https://example.org "t")\n',
  '<div>html</div>\n',
  '<b>',
  'H<sub>2</sub>O, x<sup>2</sup><br>and <kbd>Ctrl</kbd> ',
  '<details>\n<summary>More</summary>\n\n',
  '</details>\n',
  'as said[^1] ',
  '[^1]: The source of it.\n',
  '<sub>half',
  '![alt](x.png)\n',
  'trailing  \nbreak\n',
  '- [ ] task\n',
  '~~gone~~ ',
  '* star\n\n  continued\n',
  '\r\n',
  'a\rb',
  'plain words ',
  '**half',
  '[half](',
  '`tick',
  '\t- tab\n',
  '\\*escaped\\* ',
  '$$\na^2 + b^2\n$$\n',
  'costs $5 and $6, or $x_1$ ',
  '\\(y\\) and \\[z\n\\]\n',
  '$$',
];
const document = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''));

test('a document that arrives in arbitrary pieces has the same blocks as the whole document', () => {
  fc.assert(
    fc.property(document, fc.array(fc.nat({ max: 200 }), { maxLength: 60 }), (source, cuts) => {
      const blocks = createBlocks();
      let from = 0;
      for (const length of cuts) {
        blocks.append(source.slice(from, from + length));
        from += length;
      }
      blocks.append(source.slice(from));
      blocks.finish();
      const whole = lexMarkdown(source.replace(/\r\n?/g, '\n'));
      expect(JSON.stringify(withoutBlanks(blocks.tokens))).toBe(JSON.stringify(withoutBlanks(whole)));
    }),
    { numRuns: 1500 },
  );
});

test.each([
  ['\n\n![alt](x.png)\n\t- tab\n2. second\n  - nested\n', [36]],
  ['$$$$\n\n# Heading\n# Heading\n', []],
  ['see [ref] and [text](https://example.org "t")\n    indented code\n|---|--:|\n', [40, 24]],
])('%j has the same blocks as the whole document when it is cut at a position that once failed', (source, cuts) => {
  const blocks = createBlocks();
  let from = 0;
  for (const length of [...cuts, source.length]) {
    blocks.append(source.slice(from, from + length));
    from += length;
  }
  blocks.finish();
  expect(JSON.stringify(withoutBlanks(blocks.tokens))).toBe(JSON.stringify(withoutBlanks(lexWhole(source))));
});

/** Ignores blank space between blocks, which draws nothing and may be cut anywhere. */
const withoutBlanks = (tokens: readonly { type: string; raw: string }[]) =>
  tokens.filter((token) => token.type !== 'space').map((token) => ({ ...token, raw: token.raw.trimEnd() }));

test('finished blocks keep their identity while the answer continues', () => {
  const blocks = createBlocks();
  blocks.append('# One\n\ntwo\n\nthree\n\nfour');
  const before = blocks.tokens[0];
  blocks.append(' and more\n\nfive\n\nsix');
  blocks.finish();
  expect(blocks.tokens[0]).toBe(before);
});

test.each([
  ['**bold', ['strong']],
  ['a `tick', ['text', 'codespan']],
  ['[link](https://exa', ['text']],
  ['~~gone', ['del']],
])('half-written %j shows no raw syntax', (source, types) => {
  const blocks = createBlocks();
  blocks.append(source);
  const [paragraph] = blocks.tokens;
  const inner = paragraph && 'tokens' in paragraph ? (paragraph.tokens ?? []) : [];
  expect(inner.map((token) => token.type)).toEqual(types);
  expect(inner.map((token) => ('text' in token ? token.text : '')).join('')).not.toMatch(/[*`~[\]]/);
});

test.each([
  ['quotes', '>'.repeat(2000)],
  ['lists', '- '.repeat(8000)],
  ['numbers', '1. '.repeat(5000)],
  ['deep lists', Array.from({ length: 400 }, (_, index) => `${' '.repeat(index * 2)}- a`).join('\n')],
  ['emphasis', '*a **b '.repeat(4000)],
  ['brackets', '![a]('.repeat(6000)],
  ['addresses', `${'a.'.repeat(16_000)}@`],
  ['rules', '---'.repeat(10_000)],
  ['dollars', '$a '.repeat(20_000)],
  ['pairs of dollars', '$$\n'.repeat(20_000)],
  ['dollars in paragraphs', '$$\n\n'.repeat(10_000)],
  ['open formulas', '\\( a '.repeat(8_000)],
  ['open blocks', '\\[\n'.repeat(8_000)],
])('a bomb of %s is parsed within two seconds of CPU time', (_name, source) => {
  // Measures CPU time, which doesn't depend on what else the machine does.
  const begin = process.cpuUsage();
  expect(lexWhole(source).length).toBeGreaterThan(0);
  expect(process.cpuUsage(begin).user).toBeLessThan(2_000_000);
});
