/** A stream of a PDF: its dictionary without the length, and its bytes as they are stored. */
interface PdfStream {
  readonly dictionary: string;
  readonly bytes: Buffer;
}

/** A PDF of these objects, numbered from 1; the first is its catalogue. It has no table: readers rebuild it. */
export function pdfOf(objects: readonly (string | PdfStream)[]): Buffer {
  const parts = objects.map((object, index) => {
    const [head, body] =
      typeof object === 'string'
        ? [object, []]
        : [
            `<<${object.dictionary} /Length ${object.bytes.length}>>\nstream\n`,
            [object.bytes, Buffer.from('\nendstream')],
          ];
    return Buffer.concat([Buffer.from(`${index + 1} 0 obj\n${head}`), ...body, Buffer.from('\nendobj\n')]);
  });
  const trailer = Buffer.from(`trailer\n<</Root 1 0 R /Size ${objects.length + 1}>>\n%%EOF\n`);
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), ...parts, trailer]);
}

/** A PDF of pages that all show this content. `count`: what it says of their number. */
export function pdfWith(content: PdfStream, pages = 1, count = `/Count ${pages}`): Buffer {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 5} 0 R`).join(' ');
  const page = '<</Type/Page /Parent 2 0 R /MediaBox[0 0 600 800] /Contents 3 0 R /Resources<</Font<</F 4 0 R>>>>>>';
  return pdfOf([
    '<</Type/Catalog /Pages 2 0 R>>',
    `<</Type/Pages /Kids[${kids}] ${count}>>`,
    content,
    '<</Type/Font /Subtype/Type1 /BaseFont/Helvetica>>',
    ...Array.from({ length: pages }, () => page),
  ]);
}
