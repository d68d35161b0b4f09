import { createDeflate, createDeflateRaw, deflateSync } from 'node:zlib';
import { getPdf, type PdfStream, pdfWith } from './pdf-files.ts';

const mib = 1_048_576;

/**
 * Deflates many copies of one piece, together gigabytes, without holding them in memory. `raw` writes the
 * form that a ZIP entry has.
 */
export async function deflated(piece: Buffer, times: number, { raw = false, head = '', tail = '' } = {}) {
  const stream = raw ? createDeflateRaw() : createDeflate();
  const parts: Buffer[] = [];
  const read = (async () => {
    for await (const part of stream) parts.push(part as Buffer);
  })();
  const write = (bytes: string | Buffer) => new Promise((done) => stream.write(bytes, done));
  if (head !== '') await write(head);
  for (let index = 0; index < times; index++) await write(piece);
  if (tail !== '') await write(tail);
  stream.end();
  await read;
  return Buffer.concat(parts);
}

let blanksOnce: Promise<Buffer> | undefined;
/** One and a half gigabytes of blanks. */
const blanks = () => (blanksOnce ??= deflated(Buffer.alloc(mib, ' '), 1_500));
const twice = '/FlateDecode /FlateDecode';
const getStream = (filters: string, bytes: Buffer): PdfStream => ({ dictionary: `/Filter[${filters}]`, bytes });
const page = async (filters: string, content: Promise<Buffer>) => pdfWith(getStream(filters, await content));
const outer = async (bytes: Promise<Buffer>) => deflateSync(await bytes);
const asHex = (bytes: Buffer) => Buffer.from(`${bytes.toString('hex')}>`);
const text = getStream('', Buffer.from('BT /F 9 Tf (a) Tj ET'));

/** LZW data whose 12-bit codes each stand for 3,700 blanks, repeated many times. */
function lzwBlanks(): Buffer {
  let bits = '';
  const put = (code: number, width: number) => {
    bits += code.toString(2).padStart(width, '0');
  };
  const getWidth = (next: number) => (next + 1 >= 2_048 ? 12 : next + 1 >= 1_024 ? 11 : next + 1 >= 512 ? 10 : 9);
  put(256, 9);
  put(32, 9);
  // Each code refers to the entry that it defines itself: the string so far, with its first letter once more.
  for (let code = 258; code < 3_958 || bits.length % 8 !== 0; code++) put(code, getWidth(code));
  const start = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
  return Buffer.concat([start, Buffer.alloc(3 * mib, Buffer.from('e74e74', 'hex'))]);
}

/** Makes a PDF whose catalogue lies in this object stream. */
function pdfOfObjectStream(dictionary: string, bytes: Buffer): Buffer {
  const head = Buffer.from('%PDF-1.7\n');
  const objects = Buffer.concat([
    Buffer.from(`3 0 obj\n<</Type/ObjStm ${dictionary} /Length ${bytes.length}>>\nstream\n`),
    bytes,
    Buffer.from('\nendstream\nendobj\n'),
  ]);
  const row = (type: number, value: number, index: number) => {
    const bytes = Buffer.alloc(7, 0);
    bytes.writeUInt8(type, 0);
    bytes.writeUInt32BE(value, 1);
    bytes.writeUInt16BE(index, 5);
    return bytes;
  };
  const tableOffset = head.length + objects.length;
  const rows = Buffer.concat([
    row(0, 0, 65_535),
    row(2, 3, 0),
    row(2, 3, 1),
    row(1, head.length, 0),
    row(1, tableOffset, 0),
  ]);
  const table = Buffer.from(
    `4 0 obj\n<</Type/XRef /Size 5 /W[1 4 2] /Root 1 0 R /Length ${rows.length}>>\nstream\n${rows.toString('latin1')}\nendstream\nendobj\n`,
    'latin1',
  );
  return Buffer.concat([head, objects, table, Buffer.from(`startxref\n${tableOffset}\n%%EOF\n`)]);
}

/** Makes a PDF whose cross-reference table is this stream. */
function pdfOfTable(dictionary: string, bytes: Buffer): Buffer {
  const head =
    '%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n';
  return Buffer.concat([
    Buffer.from(`${head}4 0 obj\n<</Type/XRef ${dictionary} /Root 1 0 R /Length ${bytes.length}>>\nstream\n`),
    bytes,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${head.length}\n%%EOF\n`),
  ]);
}

const cidFont = (more: string) =>
  `<</Type/Font /Subtype/Type0 /BaseFont/X /Encoding/Identity-H /DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/X ${more}
  /CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor<</Type/FontDescriptor/FontName/X/Flags 4>>>>]>>`;
const withFont = (font: string, ...more: (string | PdfStream)[]) => pdfWith(text, { font, more });

/** Small PDFs that unpack to gigabytes, each by a different mechanism. */
export const pdfBombs: readonly (readonly [name: string, bytes: () => Promise<Buffer>])[] = [
  ['blanks, deflated twice', () => page(twice, outer(blanks()))],
  ['blanks, deflated three times', () => page(`${twice} /FlateDecode`, outer(outer(blanks())))],
  [
    'text operators, deflated twice',
    () => page(twice, outer(deflated(Buffer.from('BT /F 9 Tf (a) Tj ET '.repeat(50_000)), 1_000))),
  ],
  [
    'blanks, deflated twice and written as hex',
    async () => page(`/ASCIIHexDecode ${twice}`, outer(blanks()).then(asHex)),
  ],
  [
    'hex of blanks, deflated twice',
    () => page(`${twice} /ASCIIHexDecode`, outer(deflated(Buffer.alloc(mib, '20'), 1_200))),
  ],
  [
    'zeros as ASCII85, deflated twice',
    () => page(`${twice} /ASCII85Decode`, outer(deflated(Buffer.alloc(mib, 'z'), 600))),
  ],
  [
    'runs of blanks, deflated twice',
    // In RunLength encoding, each of these byte pairs stands for 128 blanks.
    () => page(`${twice} /RunLengthDecode`, outer(deflated(Buffer.alloc(mib, Buffer.from([129, 32])), 32))),
  ],
  ['LZW of blanks, deflated', async () => page('/FlateDecode /LZWDecode', outer(Promise.resolve(lzwBlanks())))],
  [
    'rows of a predictor, deflated twice',
    async () =>
      pdfWith({
        dictionary: `/Filter[${twice}] /DecodeParms[null <</Predictor 12 /Columns 4000>>]`,
        bytes: await outer(deflated(Buffer.alloc(mib), 1_000)),
      }),
  ],
  [
    'one page that shows a stream a thousand times',
    async () =>
      getPdf([
        '<</Type/Catalog /Pages 2 0 R>>',
        '<</Type/Pages /Kids[4 0 R] /Count 1>>',
        getStream('/FlateDecode', deflateSync(Buffer.alloc(10 * mib, ' '))),
        `<</Type/Page /Parent 2 0 R /MediaBox[0 0 9 9] /Contents[${'3 0 R '.repeat(1_000)}]>>`,
      ]),
  ],
  [
    'a stream of objects, deflated twice',
    async () => pdfOfObjectStream(`/Filter[${twice}] /N 1000 /First 10`, await outer(blanks())),
  ],
  [
    // V8 ended the whole process when its table of these objects outgrew the thread's memory limit.
    'a stream of four hundred million objects',
    async () =>
      pdfOfObjectStream(
        `/Filter[${twice}] /N 400000000 /First 1000000000`,
        await outer(deflated(Buffer.from('1 0 '.repeat(250_000)), 1_000)),
      ),
  ],
  [
    'a table of objects, deflated twice',
    async () =>
      pdfOfTable(`/Filter[${twice}] /W[1 4 2] /Size 300000000`, await outer(deflated(Buffer.alloc(mib), 1_000))),
  ],
  ['widths of four thousand million letters', async () => withFont(cidFont('/W[0 4000000000 500]'))],
  [
    'a font, deflated twice',
    async () =>
      withFont(
        '<</Type/Font /Subtype/TrueType /BaseFont/X /FontDescriptor<</Type/FontDescriptor/FontName/X/Flags 4/FontFile2 5 0 R>>>>',
        getStream(twice, await outer(blanks())),
      ),
  ],
  [
    'a map of letters, deflated twice',
    async () =>
      withFont(
        '<</Type/Font /Subtype/Type1 /BaseFont/Helvetica /ToUnicode 5 0 R>>',
        getStream(twice, await outer(blanks())),
      ),
  ],
];

const tiny = '/MediaBox[0 0 9 9]';
const picture = (dictionary: string) => {
  const content = getStream('', Buffer.from('q 100 0 0 100 0 0 cm /I Do Q BT /F 9 Tf 9 9 Td (a) Tj ET'));
  const image = {
    dictionary: `/Type/XObject /Subtype/Image /Width 1000000 /Height 1000000 ${dictionary}`,
    bytes: Buffer.alloc(60),
  };
  return pdfWith(content, { resources: '/XObject<</I 5 0 R>>', more: [image] });
};

/** PDFs with absurd numbers or an absurd structure, which must not take much memory. */
export const absurdPdfs: readonly (readonly [name: string, bytes: () => Buffer])[] = [
  ['a JPEG 2000 picture of a million by a million', () => picture('/Filter/JPXDecode')],
  [
    'a JBIG2 picture of a million by a million',
    () => picture('/Filter/JBIG2Decode /BitsPerComponent 1 /ColorSpace/DeviceGray'),
  ],
  ['a raw picture of a million by a million', () => picture('/BitsPerComponent 8 /ColorSpace/DeviceRGB')],
  [
    'pages below pages, 50,000 deep',
    () => {
      const deep = Array.from(
        { length: 50_000 },
        (_, index) => `<</Type/Pages /Kids[${index + 3} 0 R] /Count 1 /Parent ${index + 1} 0 R>>`,
      );
      return getPdf(['<</Type/Catalog /Pages 2 0 R>>', ...deep, `<</Type/Page /Parent 50001 0 R ${tiny}>>`]);
    },
  ],
  [
    'pages in a circle',
    () =>
      getPdf([
        '<</Type/Catalog /Pages 2 0 R>>',
        '<</Type/Pages /Parent 3 0 R /Kids[3 0 R] /Count 100>>',
        '<</Type/Pages /Parent 2 0 R /Kids[2 0 R] /Count 100>>',
      ]),
  ],
  [
    'ten pages of ten pages of ten pages, thirty times',
    () => {
      const tens = Array.from(
        { length: 30 },
        (_, index) => `<</Type/Pages /Kids[${`${index + 3} 0 R `.repeat(10)}] /Count 40000>>`,
      );
      return getPdf(['<</Type/Catalog /Pages 2 0 R>>', ...tens, `<</Type/Page /Parent 2 0 R ${tiny}>>`]);
    },
  ],
  ['100,000 pages', () => manyPages(100_000)],
  ['a filter 100,000 times', () => pdfWith(getStream('/ASCIIHexDecode'.repeat(100_000), Buffer.from('20>')))],
  ['a list in lists, five million deep', () => pdfWith(getStream('', Buffer.alloc(5_000_000, '[')))],
  ['a table of two thousand million objects', () => pdfOfTable('/W[0 0 0] /Size 2000000000', Buffer.alloc(10))],
  ['a table before itself', () => pdfOfTable('/W[1 4 2] /Size 10 /Prev 99', Buffer.alloc(70))],
  ['a stream of two thousand million objects', () => pdfOfObjectStream('/N 2000000000 /First 10', Buffer.from('1 0 '))],
];

function manyPages(pages: number): Buffer {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`).join(' ');
  const pageObjects = Array.from({ length: pages }, () => `<</Type/Page/Parent 2 0 R${tiny}>>`);
  return getPdf(['<</Type/Catalog /Pages 2 0 R>>', `<</Type/Pages /Kids[${kids}] /Count ${pages}>>`, ...pageObjects]);
}
