import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitEvents } from './attempt.ts';

test('a long text in pieces is the same text, and no character is cut in two', () => {
  const text = fc.string({ unit: 'binary', maxLength: 12 }).map((unit) => `a${unit}`.repeat(9_000));
  fc.assert(
    fc.property(text, (long) => {
      const pieces = splitEvents({ type: 'text-delta', text: long }) ?? [{ type: 'text-delta' as const, text: long }];
      const texts = pieces.map((piece) => (piece.type === 'text-delta' ? piece.text : ''));
      expect(texts.join('') === long).toBe(true);
      expect(texts.every((text) => text.length <= 16_385 && text.isWellFormed())).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test.each([
  [{ type: 'text-delta', text: 'short' }],
  [{ type: 'text-delta', text: 'x'.repeat(50_000), logprobs: {} }],
  [{ type: 'finish', reason: 'stop' }],
] as const)('%j is not split', (event) => {
  expect(splitEvents(event)).toBeNull();
});

test('each piece of long thinking has its part of the details, and the last piece has the signature', () => {
  const text = 'x'.repeat(40_000);
  const detail = { type: 'reasoning.text', text, signature: 's', id: 'm/0/0' };
  const pieces = splitEvents({ type: 'reasoning-delta', text, details: [detail] }) ?? [];
  const details = pieces.flatMap((piece) => (piece.type === 'reasoning-delta' ? (piece.details ?? []) : []));
  expect(details.map(({ text: part }) => part).join('')).toBe(text);
  expect(details.map(({ signature }) => signature)).toEqual([undefined, undefined, 's']);
});
