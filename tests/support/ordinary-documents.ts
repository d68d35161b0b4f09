import fc from 'fast-check';

export const maxLength = 20_000;

/** Generates Markdown documents of ordinary blocks with these sentences. */
export function ordinaryDocuments(words: readonly string[]): fc.Arbitrary<string> {
  const sentence = fc.constantFrom(...words);
  const bare = sentence.map((text) => text.replace(/[.。।…]?$/, ''));
  const inline = fc.oneof(
    { weight: 4, arbitrary: sentence },
    { weight: 2, arbitrary: bare.map((text) => `**${text}**`) },
    bare.map((text) => `*${text}*`),
    bare.map((text) => `[${text}](https://example.org/a)`),
    fc.constantFrom('`npm install`', '$x_i^2$', '`a < b`', '$\\frac{a}{b}$'),
  );
  const line = (maxParts: number) =>
    fc.array(inline, { minLength: 1, maxLength: maxParts }).map((parts) => parts.join(' '));
  const list = (mark: (index: number) => string) =>
    fc
      .array(fc.tuple(line(4), fc.constantFrom('', '\n   - nested', '\n\n   ```sh\n   ls -la\n   ```')), {
        minLength: 1,
        maxLength: 25,
      })
      .map((items) => items.map(([text, more], index) => `${mark(index)} ${text}${more}`).join('\n'));
  const table = fc
    .tuple(
      fc.array(fc.array(fc.oneof(bare, fc.constantFrom('✅', '❌', '**42**', '$x$')), { minLength: 4, maxLength: 4 }), {
        maxLength: 30,
      }),
    )
    .map(([rows]) =>
      ['| A | B | C | D |', '|---|---|:-:|--:|', ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join('\n'),
    );
  const block = fc.oneof(
    line(40),
    bare.map((text) => `## ${text}`),
    list(() => '-'),
    list((index) => `${index + 1}.`),
    list((index) => (index % 2 ? '- [x]' : '- [ ]')),
    table,
    fc.array(line(6), { minLength: 1, maxLength: 5 }).map((lines) => lines.map((text) => `> ${text}`).join('\n>\n')),
    line(3).map((text) => `\`\`\`js\n// ${text}\nlet a = 1;\n\`\`\``),
    fc.constant('$$\n\\int_0^1 x\\,dx\n$$'),
  );
  return fc.array(block, { minLength: 1, maxLength: 14 }).map(withinLimit);
}

/** Returns the first blocks, as many as fit into an answer of the maximum length. */
function withinLimit(blocks: readonly string[]): string {
  let text = '';
  for (const block of blocks) if (text.length + block.length + 2 < maxLength) text += `${block}\n\n`;
  return text;
}
