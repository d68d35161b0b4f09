import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonItems, maxItem } from './json-items.ts';

describe('a JSON list read in pieces', () => {
  test('yields the same items as JSON.parse, however the pieces are cut', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ maxDepth: 3 })),
        fc.boolean(),
        cuts,
        fc.constantFrom(0, 2),
        (list, wrapped, sizes, indent) => {
          const text = JSON.stringify(wrapped ? { a: 1, conversations: list, z: ['x'] } : list, null, indent);
          const items = jsonItems();
          const found: string[] = [];
          for (let start = 0, round = 0; start < text.length; round++) {
            const size = sizes[round % sizes.length] ?? 1;
            found.push(...items.push(text.slice(start, start + size)));
            start += size;
          }
          expect(found.map((item) => JSON.parse(item))).toEqual(JSON.parse(JSON.stringify(list)));
          expect(items.end()).toEqual(wrapped ? { a: 1, conversations: [], z: ['x'] } : []);
        },
      ),
    );
  });

  test('is refused when more than a megabyte precedes the list', () => {
    const items = jsonItems();
    expect(items.push(`{"x":"${'x'.repeat(900_000)}`)).toEqual([]);
    expect(() => items.push('x'.repeat(100_001))).toThrow(expect.objectContaining({ code: 'import_refused' }));
  });

  test('is refused when an item exceeds the memory limit', () => {
    const items = jsonItems();
    items.push('["');
    const piece = 'x'.repeat(maxItem / 2);
    items.push(piece);
    expect(() => items.push(`${piece}"`)).toThrow(expect.objectContaining({ code: 'import_refused' }));
  });
});
