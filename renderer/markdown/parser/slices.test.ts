import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bombs } from '../../../tests/support/bombs.ts';
import { pieceEnd, piecesOf, sliceWeight, textWeight } from '../../long-text/weight.ts';
import { lexWhole } from './blocks.ts';
import { boundedBlocks } from './bounded-blocks.ts';
import { createParsing } from './parse-documents.ts';
import { createSlicer } from './slices.ts';
import { tokenWeight } from './token-weight.ts';

const letters = fc.constantFrom('a', ' ', '\n', '\u0301', 'א', '👩', '\u200d', 'ก', '\u202e', '漢');
const texts = fc.array(letters, { maxLength: 400 }).map((all) => all.join(''));

test('the pieces of a text are the text, none is too heavy, and no character is cut in two', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1_000, max: 4_000 }), (text, most) => {
      const pieces = piecesOf(text, most);
      expect(pieces.join('')).toBe(text);
      for (const piece of pieces) {
        expect(textWeight(piece)).toBeLessThanOrEqual(most);
        expect(piece.isWellFormed()).toBe(true);
      }
    }),
  );
});

test('pieces of a text that grows stay where they are, all but the last', () => {
  fc.assert(
    fc.property(texts, texts, (text, more) => {
      const end = pieceEnd(text, 0, 1_000);
      if (end < text.length) expect(pieceEnd(text + more, 0, 1_000)).toBe(end);
    }),
  );
});

test('combining marks over one letter count only as far as they are drawn', () => {
  expect(textWeight(`a${'\u0301'.repeat(50_000)}`)).toBeLessThan(100);
});

const answerWeight = 40_000;
const words = (text: string) => text.replace(/\s+/g, '');

test.each(bombs)('%s comes in slices that are light, in answers that are small, and nothing is lost', (name, text) => {
  const source = text().slice(0, 20_000);
  const answers = createParsing()({ type: 'append', id: 1, text: source, finish: true });
  for (const { tokens } of answers) {
    const weights = tokens.map((token) => tokenWeight(token));
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual(answerWeight + sliceWeight);
  }
  const tokens = answers.flatMap((answer) => answer.tokens);
  for (const { weight } of createSlicer()(tokens)) expect(weight, name).toBeLessThanOrEqual(sliceWeight);
});

test('divided blocks have the words of the whole, in their order', () => {
  const long = 'some *words* and [a link](https://example.org) '.repeat(2_000);
  const item = `- ${long}\n`;
  const table = `| a | b |\n|---|---|\n${'| one | two |\n'.repeat(3_000)}`;
  for (const source of [long, `> ${long}`, item, `# ${long}`, '1. an item\n'.repeat(5_000), table]) {
    const whole = lexWhole(source);
    const parts = whole.flatMap((block) => boundedBlocks(block));
    expect(parts.length).toBeGreaterThan(1);
    expect(words(textOf(parts)).replaceAll('ab', '')).toBe(words(textOf(whole)).replaceAll('ab', ''));
  }
});

test('a numbered list goes on with its numbers', () => {
  const [first, second] = lexWhole('1. an item\n'.repeat(5_000)).flatMap((block) => boundedBlocks(block));
  expect(second).toMatchObject({ type: 'list', start: 1 + (first as unknown as { items: unknown[] }).items.length });
});

test('slices of blocks that did not change stay the same objects', () => {
  const slicer = createSlicer();
  const blocks = lexWhole('a paragraph of some words\n\n'.repeat(2_000));
  const before = slicer(blocks.slice(0, 3_000));
  const now = slicer(blocks);
  expect(before.length).toBeGreaterThan(5);
  for (const [at, slice] of before.slice(0, -1).entries()) expect(now[at]).toBe(slice);
  expect(slicer([...blocks]).every((slice, at) => slice === now[at])).toBe(true);
});

/** The words of tokens as they are drawn. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join('');
  if (typeof value !== 'object' || value === null) return '';
  const { tokens, items, header, rows, text } = value as Record<string, unknown>;
  const inner = [header, rows, items, tokens].filter((part) => part !== undefined);
  return inner.length > 0 ? inner.map(textOf).join('') : String(text ?? '');
}
