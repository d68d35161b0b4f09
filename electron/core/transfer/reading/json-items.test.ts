import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonItems, maxItem } from './json-items.ts';

describe('a list in pieces', () => {
  test('has the items that JSON.parse finds, however it is cut', () => {
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
          for (let at = 0, turn = 0; at < text.length; turn++) {
            const size = sizes[turn % sizes.length] ?? 1;
            found.push(...items.push(text.slice(at, at + size)));
            at += size;
          }
          expect(found.map((item) => JSON.parse(item))).toEqual(JSON.parse(JSON.stringify(list)));
          expect(items.end()).toEqual(wrapped ? { a: 1, conversations: [], z: ['x'] } : []);
        },
      ),
    );
  });

  test('ends with a megabyte that stands before it, whatever would come', () => {
    const items = jsonItems();
    expect(items.push(`{"x":"${'x'.repeat(900_000)}`)).toEqual([]);
    expect(() => items.push('x'.repeat(100_001))).toThrow(expect.objectContaining({ code: 'import_refused' }));
  });

  test('has no item that is longer than is held in memory', () => {
    const items = jsonItems();
    items.push('["');
    const piece = 'x'.repeat(maxItem / 2);
    items.push(piece);
    expect(() => items.push(`${piece}"`)).toThrow(expect.objectContaining({ code: 'import_refused' }));
  });
});
