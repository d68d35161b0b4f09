import { expect, test } from 'vitest';
import { pageFetcher } from './fetch-page.ts';

const never = new AbortController().signal;
const page = (contentType: string, body: string) =>
  pageFetcher({ download: async () => ({ bytes: Buffer.from(body), contentType, url: 'https://example.org/a' }) });

test('of a page its text is read, without scripts, styles and navigation', async () => {
  const html =
    '<html><head><style>p{}</style><script>alert(1)</script></head><body><nav>Menu</nav><main><h1>Title</h1><p>One <a href="https://x.example">two</a></p><img src="https://evil.example/a.png" alt="x"></main></body></html>';
  expect(await page('text/html', html)('https://example.org', never)).toBe(
    'From https://example.org/a:\n\nTitle\n\nOne two',
  );
});

test('plain text and JSON come as they are, other things are refused', async () => {
  expect(await page('application/json', '{"a":1}')('https://example.org', never)).toContain('{"a":1}');
  expect(await page('text/plain', '')('https://example.org', never)).toContain('[the page has no text]');
  await expect(page('image/png', 'x')('https://example.org', never)).rejects.toMatchObject({ code: 'tool_failed' });
});

test('a long or deep page is cut and does no harm', async () => {
  expect(await page('text/plain', 'x'.repeat(50_000))('https://example.org', never)).toMatch(
    /cut after 40000 of 50000/,
  );
  const deep = `${'<div>'.repeat(50_000)}end`;
  expect((await page('text/html', deep)('https://example.org', never)).length).toBeLessThan(1_000);
});
