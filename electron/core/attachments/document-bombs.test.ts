import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { builtThreads } from '../../../tests/support/built-threads.ts';
import { type DocumentReader, documentReader } from './document-reader.ts';

interface Page {
  readonly content: Uint8Array;
  readonly filter?: string;
  /** As the file says it. */
  readonly count?: string;
}

/** A PDF of one page. */
function pdf({ content, filter = '', count = '1' }: Page): Uint8Array {
  const parts: Uint8Array[] = [];
  const offsets: number[] = [];
  let length = 0;
  const write = (part: string | Uint8Array) => {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    parts.push(bytes);
    length += bytes.length;
  };
  const object = (body: () => void) => {
    offsets.push(length);
    write(`${offsets.length} 0 obj\n`);
    body();
    write('\nendobj\n');
  };
  write('%PDF-1.7\n');
  object(() => write('<< /Type /Catalog /Pages 2 0 R >>'));
  object(() => write(`<< /Type /Pages /Kids [3 0 R] /Count ${count} >>`));
  object(() =>
    write(
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>',
    ),
  );
  object(() => {
    write(`<< /Length ${content.length} ${filter} >>\nstream\n`);
    write(content);
    write('\nendstream');
  });
  const start = length;
  const lines = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  write(`xref\n0 5\n0000000000 65535 f \n${lines}trailer << /Size 5 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`);
  return Buffer.concat(parts);
}

const words = (text: string) => Buffer.from(`BT /F 12 Tf 10 100 Td (${text}) Tj ET`);
const twice = '/Filter [/FlateDecode /FlateDecode]';

const open = async () => documentReader(join(await builtThreads(), 'document-worker.js'));

/** What was read, and how much the process grew meanwhile, in MB. */
async function watched(read: (reader: DocumentReader) => Promise<unknown>) {
  const reader = await open();
  const before = process.memoryUsage.rss();
  let most = before;
  const look = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  const result = await read(reader).finally(() => clearInterval(look));
  return { result, grownMb: (most - before) / 2 ** 20 };
}

const never = new AbortController().signal;

test.each([
  ['half a gigabyte of blanks', Buffer.alloc(2 ** 29, ' '), [{ fault: 'unreadable' }]],
  ['64 MB of operators', Buffer.alloc(2 ** 26, 'q Q '), [{ fault: 'unreadable' }, { pages: 1, textBytes: 0 }]],
])('a small PDF that unpacks twice to %s takes no gigabytes', async (_, content, expected) => {
  const file = pdf({ content: deflateSync(deflateSync(content, { level: 1 }), { level: 9 }), filter: twice });
  expect(file.length).toBeLessThan(30_000);
  const { result, grownMb } = await watched((reader) => reader.pdf(file, never));
  expect(expected).toContainEqual(result);
  expect(grownMb).toBeLessThan(1_700);
});

test.each([
  ['plain', { content: words('Hello') }],
  ['packed', { content: deflateSync(words('Hello')), filter: '/Filter /FlateDecode' }],
  ['packed twice', { content: deflateSync(deflateSync(words('Hello'))), filter: twice }],
  ['long', { content: deflateSync(words('Hello '.repeat(20_000))), filter: '/Filter /FlateDecode' }],
])('an ordinary PDF is read: %s', async (_, page) => {
  const { result } = await watched((reader) => reader.pdf(pdf(page), never));
  expect(result).toMatchObject({ pages: 1, textBytes: expect.any(Number) });
});

test.each(['-5', '0', '1.5', '99999999999', '(x)', 'null'])(
  'a PDF that says it has %s pages has at least one, or none that can be counted',
  async (count) => {
    const file = pdf({ content: words('Hello'), count });
    const size = await (await open()).pdf(file, never);
    if (size.fault) expect(size).toEqual({ fault: 'unreadable' });
    else {
      expect(Number.isSafeInteger(size.pages)).toBe(true);
      expect(size.pages).toBeGreaterThanOrEqual(1);
      expect(size.pages).toBeLessThanOrEqual(file.length);
      expect(size.textBytes).toBeGreaterThanOrEqual(0);
    }
  },
);
