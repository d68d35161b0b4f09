import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeUrl } from './link-guard.ts';

test('plain web and mail links are accepted in normalised form', () => {
  expect(safeUrl('https://example.com/a b')).toBe('https://example.com/a%20b');
  expect(safeUrl('HTTP://EXAMPLE.com')).toBe('http://example.com/');
  expect(safeUrl('mailto:someone@example.com')).toBe('mailto:someone@example.com');
  expect(safeUrl('https://bücher.example/')).toBe('https://xn--bcher-kva.example/');
});

test('a mail link cannot attach a file or add a hidden recipient', () => {
  expect(safeUrl('mailto:a@example.com?subject=Hi&%61ttach=/etc/passwd&bcc=b@example.com')).toBe(
    'mailto:a@example.com?subject=Hi',
  );
  expect(() => safeUrl('mailto:a@example.com%3Fattach=/etc/passwd')).toThrow(/Only plain https/);
});

test('every other URL is refused', () => {
  const refused = [
    ...[
      '',
      'example.com',
      '/etc/passwd',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'data:text/html,x',
      'app://portico/',
    ],
    ...['smb://server/share', 'vscode://file/x', 'ms-msdt:/id', ' java\nscript:alert(1)', 'blob:https://example.com/x'],
    ...['https:example.com', 'http:\\\\example.com', 'mailto', 'mailto://example.com/x?attach=1'],
    ...['https://user:pass@example.com', 'https://example.com@evil.example', 'https://example.com/\u202efdp.exe'],
    ...['https://example.com/\u0000', 'https://example.com/\n', `https://example.com/${'a'.repeat(9000)}`],
  ];
  for (const url of refused) expect(() => safeUrl(url), JSON.stringify(url)).toThrow(/Only plain https/);
});

test('an accepted link is https, http or mailto and does not change when checked again', () => {
  const text = fc.oneof(
    fc.webUrl(),
    fc.string(),
    fc.tuple(fc.string(), fc.webUrl()).map((parts) => parts.join(':')),
  );
  fc.assert(
    fc.property(text, (candidate) => {
      let url: string;
      try {
        url = safeUrl(candidate);
      } catch {
        return;
      }
      expect(url).toMatch(/^(https?:\/\/|mailto:)/);
      expect(safeUrl(url)).toBe(url);
    }),
  );
});
