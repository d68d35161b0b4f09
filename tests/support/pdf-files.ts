/** A stream of a PDF: its dictionary without the length, and its bytes as they are stored. */
export interface PdfStream {
  readonly dictionary: string;
  readonly bytes: Buffer;
}

/**
 * Makes a PDF of these objects, numbered from 1. The first is its catalogue. It has no cross-reference
 * table, so readers rebuild it.
 */
export function getPdf(objects: readonly (string | PdfStream)[]): Buffer {
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

interface PdfParts {
  readonly pages?: number;
  /** The entry that states the number of pages. */
  readonly count?: string;
  readonly font?: string;
  /** Further resources of each page besides the font. */
  readonly resources?: string;
  /** Objects from number 5 on. */
  readonly more?: readonly (string | PdfStream)[];
}

/** Makes a PDF of pages that all show this content, with a font named F. */
export function pdfWith(
  content: PdfStream,
  {
    pages = 1,
    count = `/Count ${pages}`,
    font = '<</Type/Font /Subtype/Type1 /BaseFont/Helvetica>>',
    resources = '',
    more = [],
  }: PdfParts = {},
): Buffer {
  const kids = Array.from({ length: pages }, (_, index) => `${index + more.length + 5} 0 R`).join(' ');
  const page = `<</Type/Page /Parent 2 0 R /MediaBox[0 0 600 800] /Contents 3 0 R /Resources<</Font<</F 4 0 R>>${resources}>>>>`;
  return getPdf([
    '<</Type/Catalog /Pages 2 0 R>>',
    `<</Type/Pages /Kids[${kids}] ${count}>>`,
    content,
    font,
    ...more,
    ...Array.from({ length: pages }, () => page),
  ]);
}
