import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineColumns, visibleLines, visibleText, visibleWord } from './visible.ts';

test.each([
  ['npx', 'npx'],
  ['@scope/server@1.2.3', '@scope/server@1.2.3'],
  ['/srv/Jürgen/文件', '/srv/Jürgen/文件'],
  ['C:\\srv\\here', 'C:\\srv\\here'],
  ['a\\nb', 'a\\nb'],
  ['', '""'],
  ['a b', '"a b"'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ['a\nrm -rf', '"a\\nrm -rf"'],
  ['$(id);|&', '"$(id);|&"'],
  ['exe\u202efdp', '"exe\\u{202e}fdp"'],
  ['a\u200bb\u3164c\u2800d', '"a\\u{200b}b\\u{3164}c\\u{2800}d"'],
  ['\u05d0/x', '"\\u{5d0}/x"'],
  ['a\u0301\u{e0041}', '"a\\u{301}\\u{e0041}"'],
  ['a\u00a0\u2003b', '"a\\u{a0}\\u{2003}b"'],
  ['\ud800', '"\\u{d800}"'],
  ['\u001b[2J', '"\\u{1b}[2J"'],
])('%j is shown as %s', (text, shown) => expect(visibleWord(text)).toBe(shown));

test('wide letters get shorter lines, and a long word is split without losing a character', () => {
  expect(visibleLines(['W'.repeat(65)]).map((line) => line.length)).toEqual([32, 32, 1]);
  expect(visibleLines(['i'.repeat(65)]).map((line) => line.length)).toEqual([64, 1]);
  expect(visibleLines(['run', '文'.repeat(40), 'x'])).toEqual(['run', '文'.repeat(32), `${'文'.repeat(8)} x`]);
  expect(visibleText('a b"\u202e\n')).toBe('a b"\\u{202e}\\n');
});

const hostile = fc.array(
  fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', ' ', '\n', '\u202e', '\u200f', '\\u{202e}')),
  { maxLength: 6 },
);

test('two different command lines never look the same, and every character in them is visible', () => {
  const shown = (words: readonly string[]) => visibleLines(words.map(visibleWord));
  fc.assert(
    fc.property(hostile, (words) => {
      const lines = shown(words);
      for (const line of lines) {
        expect([...line].length).toBeLessThanOrEqual(lineColumns);
        expect(line).not.toMatch(/[\p{C}\p{M}\u2800\u0590-\u08ff]|(?! )[\p{Z}\s]/u);
      }
    }),
  );
  fc.assert(
    fc.property(fc.tuple(hostile, hostile), ([first, other]) => {
      const text = (words: readonly string[]) => words.map(visibleWord).join(' ');
      if (JSON.stringify(first) !== JSON.stringify(other)) expect(text(first)).not.toBe(text(other));
    }),
  );
});
