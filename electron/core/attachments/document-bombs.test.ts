import { createDeflate, deflateSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { coreOfTest } from '../../../tests/support/core-of-test.ts';
import { pdfWith } from '../../../tests/support/pdf-files.ts';
import { uploaded } from '../../../tests/support/uploaded.ts';

const mib = 1_048_576;

/** Gigabytes of one piece, deflated without ever being in memory whole. */
async function deflated(piece: Buffer, times: number): Promise<Buffer> {
  const stream = createDeflate();
  const parts: Buffer[] = [];
  const read = (async () => {
    for await (const part of stream) parts.push(part as Buffer);
  })();
  for (let index = 0; index < times; index++) await new Promise((done) => stream.write(piece, done));
  stream.end();
  await read;
  return Buffer.concat(parts);
}

let blanksOnce: Promise<Buffer> | undefined;
const blanks = () => (blanksOnce ??= deflated(Buffer.alloc(mib, ' '), 2_000));
const operators = () => deflated(Buffer.from('BT /F 9 Tf (a) Tj ET '.repeat(50_000)), 1_500);
const flate = '/FlateDecode /FlateDecode';

/** RunLength: each pair of bytes stands for 128. */
const runs = () =>
  deflated(Buffer.from([129, 32]), 1).then(() => deflated(Buffer.alloc(mib, Buffer.from([129, 32])), 32));
const asHex = (bytes: Buffer) => Buffer.from(`${bytes.toString('hex')}>`);

/** How much memory of the process was taken beyond what it had, in MB. */
function memoryTaken(): () => number {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 10);
  onTestFinished(() => clearInterval(timer));
  return () => (most - before) / mib;
}

test.each([
  ['blanks, deflated twice', flate, async () => deflateSync(await blanks())],
  ['text operators, deflated twice', flate, async () => deflateSync(await operators())],
  [
    'blanks, deflated twice and written as hex',
    `/ASCIIHexDecode ${flate}`,
    async () => asHex(deflateSync(await blanks())),
  ],
  ['runs of blanks, deflated twice', `${flate} /RunLengthDecode`, async () => deflateSync(await runs())],
])(
  'a small PDF that unpacks to gigabytes is refused: %s',
  async (_name, filters, content) => {
    const { client } = await coreOfTest();
    const bytes = pdfWith({ dictionary: `/Filter[${filters}]`, bytes: await content() });
    expect(bytes.length).toBeLessThan(100_000);
    const taken = memoryTaken();
    await expect(uploaded(client, 'bomb.pdf', bytes)).rejects.toMatchObject({
      code: 'attachment_refused',
      message: expect.stringMatching(/^bomb\.pdf unpacks to more than the 768 MB of memory/),
    });
    expect(taken()).toBeLessThan(1_600);
  },
  60_000,
);

test('a PDF of 300 full pages, and one of a large scan, are read as they are', async () => {
  const { client } = await coreOfTest();
  const text = `BT /F 9 Tf 20 700 Td ${'(A portico is a porch that leads to an entrance.) Tj 0 -12 Td '.repeat(50)} ET`;
  const long = pdfWith({ dictionary: '/Filter/FlateDecode', bytes: deflateSync(Buffer.from(text)) }, 300);
  expect((await uploaded(client, 'long.pdf', long)).tokens).toBeGreaterThanOrEqual(300 * 1_500);
  const scan = pdfWith({ dictionary: '', bytes: Buffer.concat([Buffer.from('% '), Buffer.alloc(9 * mib, 'x')]) });
  expect((await uploaded(client, 'scan.pdf', scan)).tokens).toBe(1_500);
});

test.each([
  ['negative', '/Count -5'],
  ['no number', '/Count /NaN'],
  ['missing', ''],
  ['a fraction', '/Count 1.5'],
  ['huge', '/Count 4000000000'],
  ['beyond all numbers', `/Count ${'9'.repeat(400)}`],
])('a PDF whose number of pages is %s is attached, and counted by its size', async (_name, count) => {
  const { client } = await coreOfTest();
  const bytes = pdfWith({ dictionary: '', bytes: Buffer.from('BT /F 9 Tf (a) Tj ET') }, 1, count);
  expect((await uploaded(client, 'odd.pdf', bytes)).tokens).toBe(1_500);
});
