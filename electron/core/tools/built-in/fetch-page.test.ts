import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtThreads } from '../../../../tests/support/built-threads.ts';
import { pageFetcher } from './fetch-page.ts';
import { pageReader } from './page-reader.ts';

const never = new AbortController().signal;
const workerFile = join(await builtThreads(), 'page-worker.js');
const address = 'https://example.org';

type Served = { contentType: string; body: string | Uint8Array; charset?: string };
const reading = ({ contentType, body, charset = undefined }: Served, readPage = pageReader(workerFile)) =>
  pageFetcher({
    download: async () => ({
      bytes: Buffer.from(body as string),
      contentType,
      charset: charset ?? null,
      url: 'https://example.org/a',
    }),
    readPage,
  });
const page = (contentType: string, body: string) => reading({ contentType, body });

test('the text of a page is read without scripts, styles and navigation', async () => {
  const html =
    '<html><head><style>p{}</style><script>alert(1)</script></head><body><nav>Menu</nav><main><h1>Title</h1><p>One <a href="https://x.example">two</a></p><img src="https://evil.example/a.png" alt="x"></main></body></html>';
  expect(await page('text/html', html)(address, never)).toBe('From https://example.org/a:\n\nTitle\n\nOne two');
});

test('plain text and JSON are returned unchanged, and other types are refused', async () => {
  expect(await page('application/json', '{"a":1}')(address, never)).toContain('{"a":1}');
  expect(await page('text/plain', '')(address, never)).toContain('[the page has no text]');
  await expect(page('image/png', 'x')(address, never)).rejects.toMatchObject({ code: 'tool_failed' });
});

test('a page that is nested too deeply for the parser is refused with an explanation', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-page-'));
  const tooDeep = join(folder, 'too-deep.mjs');
  // This worker recurses endlessly, because the depth that overflows the stack differs from machine to machine.
  writeFileSync(tooDeep, 'const deeper = (depth) => deeper(depth + 1) + 1; deeper(0);');
  const reader = reading({ contentType: 'text/html', body: '<p>' }, pageReader(tooDeep));
  await expect(reader(address, never)).rejects.toMatchObject({
    code: 'tool_failed',
    message: expect.stringContaining('nested'),
  });
  rmSync(folder, { recursive: true });
});

test('a long page is cut, and the text mentions that', async () => {
  expect(await page('text/plain', 'x'.repeat(50_000))(address, never)).toMatch(/cut after 40000 of 50000/);
});

describe('the character set of a page', () => {
  const latin = (text: string) => Buffer.from(text, 'latin1');
  test.each<[string, Served, string]>([
    ['from the server’s header', { contentType: 'text/plain', body: latin('Grüße'), charset: 'iso-8859-1' }, 'Grüße'],
    ['from its own declaration', { contentType: 'text/html', body: latin('<meta charset="latin1"><p>Grüße') }, 'Grüße'],
    [
      'from its byte order mark before anything else',
      { contentType: 'text/plain', body: Buffer.from('\ufeffGrüße', 'utf16le'), charset: 'iso-8859-1' },
      'Grüße',
    ],
    [
      'as UTF-8 when its server names an unknown one',
      { contentType: 'text/plain', body: 'Grüße', charset: 'x' },
      'Grüße',
    ],
  ])('is recognised: %s', async (_name, served, text) => {
    expect(await reading(served)(address, never)).toBe(`From https://example.org/a:\n\n${text}`);
  });
});

/** Each page has three megabytes, the most that is downloaded. */
const most = 3_000_000;
const fill = (part: string, then = '') => part.repeat(Math.floor((most - then.length) / part.length)) + then;
const bombs: readonly (readonly [name: string, html: () => string])[] = [
  ['nested blocks', () => fill('<div>')],
  ['nested blocks and ends of others', () => `${'<div>'.repeat(300_000)}${'</p></b>'.repeat(180_000)}`],
  ['misnested emphasis', () => fill('<b><i></b></i>')],
  ['open emphasis', () => fill('<b><i><u>')],
  ['nested tables', () => fill('<table><tr><td>')],
  ['nested lists', () => fill('<ul><li>')],
  ['attributes', () => `<p ${fill('a=b ').slice(0, most - 100)}>text`],
  ['one tag', () => `<p title="${'x'.repeat(most - 100)}">text`],
  ['an open comment', () => `text${fill('<!-- ')}`],
  ['entities', () => fill('&amp;&#x301;')],
  ['nested links', () => fill('<a href=x>')],
  ['nested pictures', () => fill('<svg><math>')],
  ['templates', () => fill('<template>')],
  ['one text', () => `<pre>${'x'.repeat(most - 100)}`],
  ['white space', () => `<p>a${' \n\t'.repeat(900_000)}b`],
  ['brothers', () => fill('<p>a')],
  ['openings', () => fill('<')],
  ['options', () => fill('<select><option>')],
];

describe('a malicious page', () => {
  // It doesn't matter whether a page is read in this time or given up. Neither may cost the core time.
  const short = { timeMs: 300, memoryMb: 256 };

  test('takes no time of the core', async () => {
    const pages = bombs.map(([name, html]) => [name, Buffer.from(html())] as const);
    const readPage = pageReader(workerFile, short);
    const before = process.threadCpuUsage();
    const results = await Promise.all(
      pages.map(([, body]) =>
        reading({ contentType: 'text/html', body }, readPage)(address, never).catch((error: Error) => error),
      ),
    );
    const { user, system } = process.threadCpuUsage(before);
    // Each page costs the core a copy of the bytes and the start of a thread: a few milliseconds. Parsed on the
    // core's thread, most of them would take seconds.
    expect((user + system) / 1000 / bombs.length).toBeLessThan(50);
    for (const result of results) {
      if (typeof result === 'string') expect(result.length).toBeLessThan(41_000);
      else
        expect(result).toMatchObject({
          code: 'tool_failed',
          message: expect.stringMatching(/^The page was not read: /),
        });
    }
  });

  const endless = Buffer.from(`${'<div>'.repeat(300_000)}${'</p></b>'.repeat(180_000)}`);
  const good = { contentType: 'text/html', body: '<p>Hello' };

  test('is given up after the time limit', async () => {
    const readPage = pageReader(workerFile, short);
    const bomb = reading({ contentType: 'text/html', body: endless }, readPage);
    await Promise.all(
      [1, 2, 3].map(() => expect(bomb(address, never)).rejects.toMatchObject({ message: /takes too long/ })),
    );
  });

  test('gets no more memory than its limit', async () => {
    const bomb = reading(
      { contentType: 'text/html', body: fill('<p>a') },
      pageReader(workerFile, { timeMs: 60_000, memoryMb: 24 }),
    );
    await expect(bomb(address, never)).rejects.toMatchObject({ message: expect.stringMatching(/too much memory/) });
  });

  test('ends at once when its caller aborts, whether it runs or waits', async () => {
    const readPage = pageReader(workerFile, { ...short, timeMs: 60_000 });
    const reader = new AbortController();
    const bomb = reading({ contentType: 'text/html', body: endless }, readPage);
    const reads = [1, 2, 3].map(() => bomb(address, reader.signal));
    const after = reading(good, readPage)(address, never);
    reader.abort(new Error('given up'));
    for (const read of reads) await expect(read).rejects.toThrow('given up');
    expect(await after).toContain('Hello');
  });
});
