import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createApiKey, displayPrefix, isApiKey } from './api-key.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const bytes = fc.uint8Array({ minLength: 64, maxLength: 64 });
/** A key from given bytes; what the bytes do not fill, a fixed byte does. */
const key = bytes.map((source) => {
  let at = 0;
  return createApiKey((size) => Uint8Array.from({ length: size }, () => source[at++] ?? 7));
});

describe('an API key', () => {
  test('has 56 characters: prefix, 39 random ones, 6 of checksum', () => {
    fc.assert(
      fc.property(key, (text) => {
        expect(text).toMatch(/^sk-portico-[0-9A-Za-z]{45}$/);
        expect(text).toHaveLength(56);
        expect(isApiKey(text)).toBe(true);
        expect(text.startsWith(displayPrefix(text))).toBe(true);
        expect(displayPrefix(text)).toHaveLength(15);
      }),
    );
  });

  test('does not survive one wrong character', () => {
    fc.assert(
      fc.property(key, fc.nat(44), fc.constantFrom(...alphabet), (text, at, char) => {
        const position = 11 + at;
        fc.pre(text[position] !== char);
        expect(isApiKey(text.slice(0, position) + char + text.slice(position + 1))).toBe(false);
      }),
      { numRuns: 5000 },
    );
  });

  test('does not survive two neighbours that changed places', () => {
    fc.assert(
      fc.property(key, fc.nat(43), (text, at) => {
        const position = 11 + at;
        const [a, b] = [text[position], text[position + 1]];
        fc.pre(a !== b);
        expect(isApiKey(`${text.slice(0, position)}${b}${a}${text.slice(position + 2)}`)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  test('is never some other text', () => {
    fc.assert(fc.property(fc.string({ maxLength: 80 }), (text) => !isApiKey(text)));
    expect(isApiKey(`${createApiKey()}\n`)).toBe(false);
    expect(isApiKey(createApiKey().toUpperCase())).toBe(false);
  });

  test('uses every letter about equally often, although 256 is no multiple of 62', () => {
    const counts = new Map<string, number>();
    for (let index = 0; index < 2000; index += 1) {
      for (const char of createApiKey().slice(11, 50)) counts.set(char, (counts.get(char) ?? 0) + 1);
    }
    const expected = (2000 * 39) / 62;
    const chiSquare = [...alphabet].reduce(
      (sum, char) => sum + ((counts.get(char) ?? 0) - expected) ** 2 / expected,
      0,
    );
    // 61 degrees of freedom: a fair source exceeds 130 once in two million runs, `byte % 62` alone gives over 400.
    expect(chiSquare).toBeLessThan(130);
  });
});
