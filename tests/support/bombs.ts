/**
 * Texts that are made to block whatever parses, renders or lays them out, each by a different mechanism. They can
 * arrive in a model's answer, a page that a tool read, an import or the clipboard. Each is about 100 KB to 1 MB.
 */
export const bombs: readonly (readonly [name: string, text: () => string])[] = [
  ['marks on one letter', () => `a${'\u0301'.repeat(100_000)}`],
  ['marks on every letter', () => many(3_000, (index) => `e${many(30, (offset) => mark(index + offset))}`)],
  ['marks by name', () => `a${'&#x301;'.repeat(50_000)}`],
  ['marks in code', () => `\`\`\`\na${'\u0301'.repeat(100_000)}\n\`\`\``],
  ['marks between tags', () => `a${'**\u0301**'.repeat(5_000)}`],
  ['one word', () => 'x'.repeat(1_000_000)],
  ['one line', () => 'the same words again '.repeat(50_000)],
  ['one line of code', () => `\`\`\`js\n${'let a = "b"; '.repeat(80_000)}\n\`\`\``],
  ['text direction overrides', () => many(100_000, (index) => `${'\u202e\u202a\u2067\u202d'[index % 4]}a`)],
  ['both directions', () => many(50_000, (index) => (index % 2 ? 'א1' : 'a('))],
  ['joined pictures', () => '👨‍👩‍👧‍👦\u200d'.repeat(20_000)],
  ['letters of many scripts', () => many(50_000, (index) => String.fromCodePoint(0x100 + ((index * 97) % 0xd600)))],
  [
    'characters of the supplementary planes',
    () => many(50_000, (index) => String.fromCodePoint(0x10000 + ((index * 37) % 0xffff))),
  ],
  ['Thai without spaces', () => 'สวัสดีครับผมชื่อ'.repeat(20_000)],
  ['quotes in quotes', () => `${'>'.repeat(5_000)} deep`],
  ['quotes, a line each', () => many(2_000, (index) => `${'> '.repeat(index % 39)}x\n`)],
  ['lists in lists', () => many(3_000, (index) => `${' '.repeat((index % 38) * 2)}- x\n`)],
  ['a list', () => '- an item\n'.repeat(50_000)],
  ['a list of lists', () => '- - - an item\n'.repeat(10_000)],
  ['a loose list', () => '1. an item\n\n'.repeat(30_000)],
  ['a wide table', () => table(10_000, 3)],
  ['a long table', () => table(5, 50_000)],
  ['a large table', () => table(100, 2_000)],
  ['paragraphs', () => 'word\n\n'.repeat(100_000)],
  ['headings', () => '# word\n'.repeat(50_000)],
  ['rules', () => '---\n\n'.repeat(50_000)],
  [
    'code of a rare language',
    () => `\`\`\`haskell\n${'main = do { x <- [1..]; print (f $ g . h) } -- y\n'.repeat(20_000)}\`\`\``,
  ],
  ['code with marks in a row', () => `\`\`\`latex\n${'{'.repeat(200_000)}\n\`\`\``],
  ['blocks of code', () => '```js\nlet a = 1;\n```\n\n'.repeat(5_000)],
  ['formulas', () => '$x^2$ '.repeat(20_000)],
  ['blocks of formulas', () => '$$\n\\frac{1}{2}\n$$\n\n'.repeat(5_000)],
  ['a large formula', () => `$$\n${'\\frac{1}{'.repeat(300)}x${'}'.repeat(300)} ${'x^2 + '.repeat(600)}y\n$$`],
  ['a formula of roots', () => `$$${'\\sqrt{x}+'.repeat(400)}y$$`],
  ['diagrams', () => '```mermaid\nflowchart LR\n  A --> B\n```\n\n'.repeat(500)],
  [
    'a large diagram',
    () => `\`\`\`mermaid\nflowchart LR\n${many(2_000, (index) => `  A${index} --> A${(index * 7) % 2_000}\n`)}\`\`\``,
  ],
  ['parts to open', () => '<details>\n<summary>a</summary>\n\nb\n\n</details>\n\n'.repeat(10_000)],
  ['parts within parts', () => '<details>\n\n'.repeat(30_000)],
  ['ends of parts', () => '<details>\n\n</details>\n\n</details>\n\n'.repeat(10_000)],
  ['raised and lowered letters', () => 'a<sub>b</sub><sup>c</sup> '.repeat(10_000)],
  ['raised and never lowered', () => 'a<sup>b '.repeat(20_000)],
  ['pictures', () => '![a](https://example.org/a.png) '.repeat(10_000)],
  ['links', () => '[a](https://example.org/b) '.repeat(20_000)],
  ['addresses', () => 'https://example.org/b '.repeat(20_000)],
  ['mail addresses', () => 'a@b.example '.repeat(20_000)],
  ['footnotes', () => many(10_000, (index) => `a[^${index}]\n\n[^${index}]: b\n\n`)],
  [
    'definitions',
    () =>
      `${many(10_000, (index) => `[a${index}]: https://example.org/${index}\n`)}\n${many(10_000, (index) => `[a${index}] `)}`,
  ],
  ['dollars', () => '$'.repeat(100_000)],
  ['dollars apart', () => '$ '.repeat(100_000)],
  ['tags', () => '<b><i>'.repeat(50_000)],
  ['open comments', () => '<!-- '.repeat(50_000)],
  ['emphasis', () => '*a*_'.repeat(50_000)],
  ['emphasis, a word each', () => '**a** _b_ `c` '.repeat(20_000)],
  ['emphasis in emphasis', () => `${'*a _b '.repeat(700)}${'_ *'.repeat(700)}`],
  ['open brackets', () => '['.repeat(100_000)],
  ['backticks', () => many(2_000, (index) => `${'`'.repeat(index % 100)} `)],
  ['hard breaks', () => 'a  \n'.repeat(50_000)],
  ['lines', () => 'a\n'.repeat(100_000)],
  ['empty lines of code', () => `\`\`\`\n${'\n'.repeat(100_000)}\`\`\``],
  ['entities', () => '&amp;&lt;'.repeat(50_000)],
  ['tabs', () => '\t'.repeat(500_000)],
  ['tabs in words', () => 'a\t'.repeat(100_000)],
  ['control characters', () => many(100_000, (index) => String.fromCharCode(1 + (index % 8)))],
  ['invisible characters', () => `a${'\u200b\u00ad\u2060'.repeat(50_000)}`],
];

const many = (times: number, part: (index: number) => string): string =>
  Array.from({ length: times }, (_, index) => part(index)).join('');
const mark = (index: number): string => String.fromCharCode(0x300 + ((index * 31) % 0x6f));

function table(columns: number, rows: number): string {
  const row = `|${'a|'.repeat(columns)}\n`;
  return `${row}|${'-|'.repeat(columns)}\n${row.repeat(rows)}`;
}
