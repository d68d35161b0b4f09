import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createApiKey, displayPrefix, isApiKey } from './api-key.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const bytes = fc.uint8Array({ minLength: 64, maxLength: 64 });
/** Creates a key from these bytes, filled up with a fixed byte. */
const key = bytes.map((source) => {
  let index = 0;
  return createApiKey((size) => Uint8Array.from({ length: size }, () => source[index++] ?? 7));
});

describe('an API key', () => {
  test('an API key has 56 characters: a prefix, 39 random ones and a checksum of 6', () => {
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

  test('an API key does not survive one wrong character', () => {
    fc.assert(
      fc.property(key, fc.nat(44), fc.constantFrom(...alphabet), (text, offset, char) => {
        const position = 11 + offset;
        fc.pre(text[position] !== char);
        expect(isApiKey(text.slice(0, position) + char + text.slice(position + 1))).toBe(false);
      }),
      { numRuns: 5000 },
    );
  });

  test('an API key does not survive two swapped neighbours', () => {
    fc.assert(
      fc.property(key, fc.nat(43), (text, offset) => {
        const position = 11 + offset;
        const [a, b] = [text[position], text[position + 1]];
        fc.pre(a !== b);
        expect(isApiKey(`${text.slice(0, position)}${b}${a}${text.slice(position + 2)}`)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  test('no other text is recognized as an API key', () => {
    fc.assert(fc.property(fc.string({ maxLength: 80 }), (text) => !isApiKey(text)));
    expect(isApiKey(`${createApiKey()}\n`)).toBe(false);
    expect(isApiKey(createApiKey().toUpperCase())).toBe(false);
  });

  test('API keys use every letter about equally often, although 256 is not a multiple of 62', () => {
    const counts = new Map<string, number>();
    for (let index = 0; index < 2000; index += 1) {
      for (const char of createApiKey().slice(11, 50)) counts.set(char, (counts.get(char) ?? 0) + 1);
    }
    const expected = (2000 * 39) / 62;
    const chiSquare = [...alphabet].reduce(
      (sum, char) => sum + ((counts.get(char) ?? 0) - expected) ** 2 / expected,
      0,
    );
    // With 61 degrees of freedom, a fair source exceeds 130 once in two million runs. `byte % 62` alone gives over 400.
    expect(chiSquare).toBeLessThan(130);
  });
});
