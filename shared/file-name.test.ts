import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileName } from './file-name.ts';

test.each([
  ['How does the ledger work?', 'How does the ledger work'],
  ['../../etc/passwd', 'etc passwd'],
  ['..\\..\\autorun.inf', 'autorun.inf'],
  ['C:\\x', 'C x'],
  ['.bashrc', 'bashrc'],
  ['con', '_con'],
  ['Nul.txt', '_Nul.txt'],
  ['COM¹', '_COM¹'],
  ['Consoles', 'Consoles'],
  ['invoice\u202efdp.exe', 'invoice fdp.exe'],
  ['a\u0000b\nc\u2028d\u0085e', 'a b c d e'],
  ['dots...', 'dots'],
  [`${'a'.repeat(79)}😀`, 'a'.repeat(79)],
  [`${'a'.repeat(79)} b`, 'a'.repeat(79)],
  ['...', 'chats'],
  ['', 'chats'],
  ['Grüße 你好 😀', 'Grüße 你好 😀'],
])('%j becomes %j', (name, expected) => {
  expect(fileName(name)).toBe(expected);
});

test('any text becomes a file name that every file system accepts', () => {
  const pieces = fc.constantFrom(
    '/',
    '..',
    '\\',
    ':',
    'con',
    'aux.',
    ' ',
    '.',
    '\0',
    '\u202e',
    '\ud83d',
    '😀',
    '你',
    'a',
  );
  const names = fc.oneof(
    fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) }),
    fc.array(pieces, { maxLength: 200 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(names, (name) => {
      const made = fileName(name);
      expect(made).toMatch(/^[^\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]+$/u);
      expect(made).not.toMatch(/^[. ]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)([. ]|$)/i);
      expect(new TextEncoder().encode(`${made}.json.part`).length).toBeLessThanOrEqual(255);
      expect(fileName(made)).toBe(made);
    }),
  );
});
