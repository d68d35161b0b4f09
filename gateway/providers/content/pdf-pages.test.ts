import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimateInputTokens, pdfPages } from './estimate-tokens.ts';

const pdf = (objects: string) => Buffer.from(`%PDF-1.7\n${objects}\n%%EOF`, 'latin1');
/** Puts the objects into a compressed stream, as most PDF writers do since PDF 1.5. */
function compressed(objects: string): Buffer {
  const stream = deflateSync(Buffer.from(objects, 'latin1'));
  return Buffer.concat([
    Buffer.from('%PDF-1.7\n1 0 obj\n<</Type /ObjStm /N 3 /First 20 /Filter /FlateDecode>>\nstream\n'),
    stream,
    Buffer.from('\nendstream\nendobj\n%%EOF'),
  ]);
}

test.each([
  ['a flat tree', '2 0 obj << /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >> endobj', 2],
  [
    'the count before the type, with dictionaries between',
    '<</Count 7/Resources<</Font<</F1 5 0 R>>>>/Type/Pages>>',
    7,
  ],
  [
    'a tree of nodes, and an outline with a larger count',
    '<</Type/Pages/Count 40/Kids[1 0 R 2 0 R]>><</Type/Pages/Count 12>><</Type/Pages/Count 28>><</Type/Outlines/Count 90>>',
    40,
  ],
  ['many kids', `<</Type/Pages/Kids[${'12 0 R '.repeat(4_000)}]/Count 4000>>`, 4_000],
])('the pages of a PDF with %s are counted, uncompressed and compressed', (_name, objects, pages) => {
  expect(pdfPages(pdf(objects))).toBe(pages);
  expect(pdfPages(compressed(objects))).toBe(pages);
});

test('a PDF without a page count gives null, whatever its bytes are', () => {
  for (const body of [
    '',
    '/Type/Pages',
    '<</Type/Pages/Count -1>>',
    '<</Type /Pages',
    '<</Type/ObjStm>>stream\n\xff',
  ]) {
    expect(pdfPages(pdf(body))).toBeNull();
  }
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('<<', '>>', '/Type/Pages', '/Count 3', '/ObjStm', 'stream\n', 'endstream', ' ', 'x'), {
        maxLength: 40,
      }),
      (pieces) => {
        expect([null, 3]).toContain(pdfPages(pdf(pieces.join(''))));
      },
    ),
  );
});

test('a PDF counts 1,500 tokens a page, and its size decides when it has no page count', () => {
  const tokens = (bytes: Buffer) => {
    const file_data = `data:application/pdf;base64,${bytes.toString('base64')}`;
    const part = { type: 'file' as const, file: { file_data, filename: 'a.pdf', file_id: undefined } };
    return estimateInputTokens([{ role: 'user', content: [part], name: undefined }], undefined) - 4;
  };
  const objects = '<</Type/Pages/Count 30>>';
  expect(tokens(pdf(objects))).toBe(45_000);
  expect(tokens(compressed(objects))).toBe(45_000);
  expect(tokens(pdf('x'.repeat(500_000)))).toBe(3 * 1_500);
});
