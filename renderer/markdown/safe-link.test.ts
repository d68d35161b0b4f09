import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeEntities } from '#shared/markdown/entities.ts';
import { safeLink } from './safe-link.ts';

test.each([
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  '\u0000javascript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  '//evil.example',
  '/local',
  '#settings',
  'blob:https://a',
  'app://portico',
  'https:evil',
  'http://',
  'mailto',
  'about:blank',
  'javascript://https://x%0aalert(1)',
  'https://bank.example@evil.example',
  'https://example.com/\u202efdp.exe',
  'mailto:a@example.com%3Fattach=/etc/passwd',
])('%j is not accepted as a link', (href) => {
  expect(safeLink(href)).toBe(null);
});

test('the page accepts exactly the links that the core opens', () => {
  expect(safeLink('mailto:a@example.com?attach=/etc/passwd&subject=Hi')).toBe('mailto:a@example.com?subject=Hi');
  expect(safeLink('https://bücher.example')).toBe('https://xn--bcher-kva.example/');
});

test('any accepted link is a web or mail address', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((rest) => `https://${rest}`),
        fc.webUrl(),
      ),
      (href) => {
        const safe = safeLink(href);
        if (safe !== null) expect(new URL(safe).protocol).toMatch(/^(https?|mailto):$/);
      },
    ),
  );
});

test('entities become text, and only text', () => {
  expect(decodeEntities('a &lt;b&gt; &amp;amp; &#39; &#x1F600; &#0; &nope;')).toBe("a <b> &amp; ' 😀 \ufffd &nope;");
});
