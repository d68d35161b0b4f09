import fc from 'fast-check';
import type { Token } from 'marked';
import { expect, test } from 'vitest';
import { bombs } from '../../../tests/support/bombs.ts';
import { getPieces, maxBlockWeight, pieceEnd, sliceWeight, textWeight } from '../../long-text/weight.ts';
import { createSlicer, firstPart } from '../block.tsx';
import { withKeptParts } from './block-parts.ts';
import { boundedBlocks } from './bounded-blocks.ts';
import { createParsing, lexWhole } from './parse-documents.ts';
import type { ParseAnswer } from './parse-messages.ts';
import { drawnWeight, tokenWeight } from './token-weight.ts';

const letters = fc.constantFrom('a', ' ', '\n', '\u0301', 'א', '👩', '\u200d', 'ก', '\u202e', '漢');
const texts = fc.array(letters, { maxLength: 400 }).map((all) => all.join(''));

test('the pieces of a text join to the text, none is too heavy, and no character is cut in two', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1_000, max: 4_000 }), (text, most) => {
      const pieces = getPieces(text, most);
      expect(pieces.join('')).toBe(text);
      for (const piece of pieces) {
        expect(textWeight(piece)).toBeLessThanOrEqual(most);
        expect(piece.isWellFormed()).toBe(true);
      }
    }),
  );
});

test('all pieces but the last stay in place while a text grows', () => {
  fc.assert(
    fc.property(texts, texts, (text, more) => {
      const end = pieceEnd(text, 0, 1_000);
      if (end < text.length) expect(pieceEnd(text + more, 0, 1_000)).toBe(end);
    }),
  );
});

test('only the rendered combining marks of a letter count for its weight', () => {
  expect(textWeight(`a${'\u0301'.repeat(50_000)}`)).toBeLessThan(100);
});

const answerWeight = 40_000;
const words = (text: string) => text.replace(/\s+/g, '');
/** A formula is drawn at once, so it may be this heavy. */
const heaviestPart = 40_000;

/** Counts the objects in a value, which is what a message costs the page to read. */
function objectsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((sum, part) => sum + objectsIn(part), 0);
}

test.each(bombs)('%s is sent in small messages and drawn in light steps', (name, text) => {
  const source = text().slice(0, 20_000);
  const answers = createParsing()({ type: 'append', id: 1, text: source, finish: true });
  for (const { tokens } of answers) {
    const weight = tokens.reduce((sum, token) => sum + tokenWeight(token), 0);
    if (weight > answerWeight + sliceWeight) expect(objectsIn(tokens)).toBeLessThan(6_000);
  }
  const tokens = getTokens(answers);
  for (const slice of createSlicer()(tokens)) {
    for (const token of slice.tokens)
      expect(tokenWeight(token, maxBlockWeight), name).toBeLessThanOrEqual(maxBlockWeight);
    if (slice.tokens.length > 1) expect(slice.weight, name).toBeLessThanOrEqual(sliceWeight);
    const steps = Math.ceil(slice.weight / sliceWeight);
    const weights = Array.from({ length: steps }, (_, step) =>
      getWeight(step === steps - 1 ? slice.tokens : firstPart(slice.tokens, (step + 1) * sliceWeight)),
    );
    for (const [step, weight] of weights.entries())
      expect(weight - (weights[step - 1] ?? 0), name).toBeLessThanOrEqual(
        2 * sliceWeight + heaviestPart * Number(/formula/.test(name)),
      );
  }
});

const getWeight = (tokens: readonly Token[]): number => tokens.reduce((sum, token) => sum + drawnWeight(token), 0);

/** Returns the blocks that the page has after these messages. */
function getTokens(answers: readonly ParseAnswer[], before: readonly Token[] = []): readonly Token[] {
  return answers.reduce(
    (tokens, { kept, keptParts, tokens: sent }) => [
      ...tokens.slice(0, kept),
      ...sent.map((token, index) => (index === 0 ? withKeptParts(tokens[kept], token, keptParts) : token)),
    ],
    before,
  );
}

test('divided blocks contain the words of the whole in order', () => {
  const long = 'some *words* and [a link](https://example.org) '.repeat(4_000);
  const item = `- ${long}\n`;
  const table = `| a | b |\n|---|---|\n${'| one | two |\n'.repeat(10_000)}`;
  for (const source of [long, `> ${long}`, item, `# ${long}`, '1. an item\n'.repeat(5_000), table]) {
    const whole = lexWhole(source);
    const parts = whole.flatMap((block) => boundedBlocks(block));
    expect(parts.length).toBeGreaterThan(1);
    expect(words(getText(parts)).replaceAll('ab', '')).toBe(words(getText(whole)).replaceAll('ab', ''));
  }
});

test('the second part of a divided numbered list continues the numbers', () => {
  const [first, second] = lexWhole('1. an item\n'.repeat(5_000)).flatMap((block) => boundedBlocks(block));
  expect(second).toMatchObject({ type: 'list', start: 1 + (first as unknown as { items: unknown[] }).items.length });
});

test('slices of unchanged blocks stay the same objects', () => {
  const slicer = createSlicer();
  const blocks = lexWhole('a paragraph of some words\n\n'.repeat(2_000));
  const before = slicer(blocks.slice(0, 3_000));
  const now = slicer(blocks);
  expect(before.length).toBeGreaterThan(5);
  for (const [index, slice] of before.slice(0, -1).entries()) expect(now[index]).toBe(slice);
  expect(slicer([...blocks]).every((slice, index) => slice === now[index])).toBe(true);
});

/** Returns the words of tokens as they are drawn. */
function getText(value: unknown): string {
  if (Array.isArray(value)) return value.map(getText).join('');
  if (typeof value !== 'object' || value === null) return '';
  const { tokens, items, header, rows, text } = value as Record<string, unknown>;
  const inner = [header, rows, items, tokens].filter((part) => part !== undefined);
  return inner.length > 0 ? inner.map(getText).join('') : String(text ?? '');
}
