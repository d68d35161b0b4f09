import fc from 'fast-check';
import type { Token } from 'marked';
import { expect, test } from 'vitest';
import { lexMarkdown } from '#shared/markdown/lex-markdown.ts';
import { toHtml } from '#shared/markdown/to-html.ts';
import { maxLength, ordinaryDocuments } from '../../../tests/support/ordinary-documents.ts';
import { countMarkup, countTokens, sentences } from '../../../tests/support/ordinary-texts.ts';
import { sliceWeight } from '../../long-text/weight.ts';
import { createSlicer, firstPart } from '../block.tsx';
import { clipboardForm } from '../copy-forms.ts';
import { withKeptParts } from './block-parts.ts';
import { createBlocks, createParsing, lexWhole } from './parse-documents.ts';

const scripts = Object.entries(sentences);

/**
 * Feeds a document in pieces, and yields the blocks that the page has after each piece next to the blocks of a direct
 * parse.
 */
function* arriving(source: string, cuts: readonly number[]) {
  const parse = createParsing();
  const blocks = createBlocks();
  let tokens: readonly Token[] = [];
  let from = 0;
  for (const length of [...cuts, source.length]) {
    const text = source.slice(from, from + length);
    from += length;
    const finish = from >= source.length;
    for (const answer of structuredClone(parse({ type: 'append', id: 1, text, finish }))) {
      const [first, ...rest] = answer.tokens;
      const joined = first ? [withKeptParts(tokens[answer.kept], first, answer.keptParts), ...rest] : [];
      tokens = [...tokens.slice(0, answer.kept), ...joined];
    }
    blocks.append(text);
    if (finish) blocks.finish();
    yield { tokens, lexed: blocks.tokens };
    if (finish) return;
  }
}

test.each(scripts)(
  'an ordinary answer in %s has the blocks of its Markdown at every step and in the clipboard',
  async (_script, words) => {
    await fc.assert(
      fc.asyncProperty(
        ordinaryDocuments(words),
        fc.array(fc.nat({ max: 900 }), { maxLength: 12 }),
        async (source, cuts) => {
          let last: readonly Token[] = [];
          for (const { tokens, lexed } of arriving(source, cuts)) {
            expect(tokens).toEqual(lexed);
            last = tokens;
          }
          const whole = countTokens(lexMarkdown(source));
          expect(countTokens(last)).toEqual(whole);
          expect(countMarkup(String(await toHtml(last, clipboardForm)))).toEqual(whole);
        },
      ),
      { numRuns: 25 },
    );
  },
);

const long = scripts.flatMap(([script, words]) => {
  const text = words.join(' ').repeat(200);
  return [
    [`a paragraph of ${maxLength} characters in ${script}`, text.slice(0, maxLength)],
    [`a bold paragraph of ${maxLength} characters in ${script}`, `**${text.slice(0, maxLength - 4).trim()}**`],
    [
      `a table of 300 rows in ${script}`,
      `| A | B | C | D | E | F |\n|-|-|-|-|-|-|\n${`| ${words[0]?.slice(0, 12)} | ✅ | **42** | \`x\` | ${words[1]?.slice(0, 10)} | — |\n`.repeat(300)}`,
    ],
    [`a list of 300 items in ${script}`, `- **${words[0]?.slice(0, 20)}**: ${words[1]}\n`.repeat(300)],
  ] as const;
});

test.each(long)('%s stays one block and is drawn in growing parts of it', (_name, source) => {
  const tokens = [...arriving(source, [])].at(-1)?.tokens ?? [];
  expect(tokens).toEqual(lexMarkdown(source));
  const [block] = tokens as [Token];
  const [slice] = createSlicer()(tokens);
  expect(slice?.tokens[0]).toBe(block);
  let before = 0;
  for (let maxWeight = sliceWeight; maxWeight < (slice?.weight ?? 0); maxWeight += sliceWeight) {
    const [part] = firstPart([block], maxWeight);
    if (!part) continue;
    expect(part.type).toBe(block.type);
    const size = JSON.stringify({ ...part, raw: '' }).length;
    expect(size).toBeGreaterThanOrEqual(before);
    before = size;
  }
});

test('a partly drawn block reuses the same tokens', () => {
  const [list] = lexWhole('- **an** item of some words\n'.repeat(400)) as [Token & { items: unknown[] }];
  const [few, more] = [8_000, 16_000].map((weight) => firstPart([list], weight)[0] as typeof list);
  expect(few?.items.length).toBeGreaterThan(10);
  expect(more?.items.length).toBeGreaterThan((few?.items.length ?? 0) + 10);
  for (const [index, item] of (few?.items ?? []).entries()) expect(item).toBe(list.items[index]);
  expect(firstPart([list], Number.POSITIVE_INFINITY)[0]).toBe(list);
});

test('a growing list is sent to the page without the items it already has', () => {
  const parse = createParsing();
  const append = (text: string) => parse({ type: 'append', id: 1, text, finish: false });
  append('- an item of some words\n'.repeat(200));
  const [answer] = append('- and one more\n- and the last');
  expect(answer).toMatchObject({ kept: 0, keptParts: expect.any(Number) });
  expect(answer?.keptParts).toBeGreaterThanOrEqual(199);
  expect(JSON.stringify(answer?.tokens[0] && { ...answer.tokens[0], raw: '' }).length).toBeLessThan(2_000);
});

test.each([
  ['a table of bold and code cells', `| a | b | c |\n|---|---|---|\n${'| **x** | `y` | *z* |\n'.repeat(500)}`, 'table'],
  ['a list of bold terms', '- **a**: `b`\n'.repeat(700), 'list'],
  [
    'a numbered list of bold terms',
    Array.from({ length: 500 }, (_, index) => `${index + 1}. **a**: _b_`).join('\n'),
    'list',
  ],
  ['a Chinese paragraph with a version', '中文没有空格，版本3.5的文字。'.repeat(1_200), 'paragraph'],
])('%s is not treated as hostile text', (_name, source, type) => {
  expect(lexWhole(source).map((token) => token.type)).toEqual([type]);
});
