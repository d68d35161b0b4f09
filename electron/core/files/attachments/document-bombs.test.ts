import { deflateSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { coreOfTest, type TestCore } from '../../../../tests/support/core-of-test.ts';
import { blockedMs, maxHeld } from '../../../../tests/support/longest-held.ts';
import { memoryTaken } from '../../../../tests/support/memory-taken.ts';
import { absurdPdfs, pdfBombs } from '../../../../tests/support/pdf-bombs.ts';
import { pdfWith } from '../../../../tests/support/pdf-files.ts';
import { uploaded } from '../../../../tests/support/uploaded.ts';

const mib = 1_048_576;
const page = `BT /F 9 Tf 20 700 Td ${'(A portico is a porch that leads to an entrance.) Tj 0 -12 Td '.repeat(50)} ET`;
const ordinary = pdfWith({ dictionary: '/Filter/FlateDecode', bytes: deflateSync(Buffer.from(page)) });

/** Expects the token count of the pages, not the larger one estimated from the file size. */
const readsOrdinary = async (client: TestCore['client']) =>
  expect((await uploaded(client, 'ordinary.pdf', ordinary)).tokens).toBeGreaterThan(1_501);

test.each(pdfBombs)(
  'a small PDF that unpacks to gigabytes is refused, and the next PDF is read: %s',
  async (_name, make) => {
    const { client } = await coreOfTest();
    const bytes = await make();
    expect(bytes.length).toBeLessThan(100_000);
    const [taken, held] = [memoryTaken(), maxHeld()];
    await expect(uploaded(client, 'bomb.pdf', bytes)).rejects.toMatchObject({
      code: 'attachment_refused',
      message: expect.stringMatching(/^bomb\.pdf unpacks to more memory than Portico gives a document/),
    });
    expect(taken()).toBeLessThan(1_000);
    expect(held()).toBeLessThan(blockedMs);
    await readsOrdinary(client);
  },
  60_000,
);

test.each(absurdPdfs)(
  'a malformed PDF takes little memory and does not block the core: %s',
  async (_name, make) => {
    const { client } = await coreOfTest();
    const bytes = make();
    const [taken, held] = [memoryTaken(), maxHeld()];
    // Providers can read some of these, so an unreadable PDF is attached and counted by its size.
    expect((await uploaded(client, 'absurd.pdf', bytes)).tokens).toBeGreaterThanOrEqual(1_500);
    expect(taken()).toBeLessThan(500);
    expect(held()).toBeLessThan(blockedMs);
    await readsOrdinary(client);
  },
  60_000,
);

test('memory that other work of the process takes is not blamed on a document', async () => {
  const { client } = await coreOfTest();
  const taken: Buffer[] = [];
  const taking = setInterval(() => {
    if (taken.length < 14) taken.push(Buffer.alloc(60 * mib, 'x'));
  }, 10);
  onTestFinished(() => clearInterval(taking));
  const long = pdfWith({ dictionary: '/Filter/FlateDecode', bytes: deflateSync(Buffer.from(page)) }, { pages: 300 });
  expect((await uploaded(client, 'long.pdf', long)).tokens).toBeGreaterThanOrEqual(300 * 1_500);
  expect(taken.length).toBeGreaterThan(7);
});

test('a PDF of 300 full pages and one with a large scan are read normally', async () => {
  const { client } = await coreOfTest();
  const long = pdfWith({ dictionary: '/Filter/FlateDecode', bytes: deflateSync(Buffer.from(page)) }, { pages: 300 });
  expect((await uploaded(client, 'long.pdf', long)).tokens).toBeGreaterThanOrEqual(300 * 1_500);
  const scan = pdfWith({ dictionary: '', bytes: Buffer.concat([Buffer.from('% '), Buffer.alloc(9 * mib, 'x')]) });
  expect((await uploaded(client, 'scan.pdf', scan)).tokens).toBe(1_500);
});

test.each([
  ['negative', '/Count -5'],
  ['not a number', '/Count /NaN'],
  ['missing', ''],
  ['a fraction', '/Count 1.5'],
  ['huge', '/Count 4000000000'],
  ['larger than any number', `/Count ${'9'.repeat(400)}`],
])('a PDF whose number of pages is %s is attached and counted by its size', async (_name, count) => {
  const { client } = await coreOfTest();
  const bytes = pdfWith({ dictionary: '', bytes: Buffer.from('BT /F 9 Tf (a) Tj ET') }, { count });
  expect((await uploaded(client, 'odd.pdf', bytes)).tokens).toBe(1_500);
});
