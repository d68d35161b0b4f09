import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitEvents } from './split-events.ts';

test('a long text in pieces is the same text, and no character is cut in two', () => {
  const text = fc.string({ unit: 'binary', maxLength: 12 }).map((unit) => `a${unit}`.repeat(9_000));
  fc.assert(
    fc.property(text, (long) => {
      const pieces = splitEvents({ type: 'text-delta', text: long }) ?? [{ type: 'text-delta' as const, text: long }];
      const texts = pieces.map((piece) => (piece.type === 'text-delta' ? piece.text : ''));
      expect(texts.join('') === long).toBe(true);
      expect(texts.every((one) => one.length <= 16_385 && one.isWellFormed())).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test.each([
  [{ type: 'text-delta', text: 'short' }],
  [{ type: 'text-delta', text: 'x'.repeat(50_000), logprobs: {} }],
  [{ type: 'finish', reason: 'stop' }],
] as const)('%j stays as it is', (event) => {
  expect(splitEvents(event)).toBeNull();
});
