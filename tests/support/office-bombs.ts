import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { deflated } from './pdf-bombs.ts';
import { getZip, type ZipEntry } from './zip-files.ts';

const mib = 1_048_576;
const office = 'application/vnd.openxmlformats-officedocument';
const types = (main: string): ZipEntry => ({
  name: '[Content_Types].xml',
  data: `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/x.xml" ContentType="${office}.${main}.main+xml"/></Types>`,
});

const documentHead =
  '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>';
const documentTail = '</w:body></w:document>';
const paragraph = '<w:p><w:r><w:t>A portico.</w:t></w:r></w:p>';
const body = (xml: string): ZipEntry => ({ name: 'word/document.xml', data: `${documentHead}${xml}${documentTail}` });
const docx = (xml: string, ...more: ZipEntry[]) => getZip([types('wordprocessingml.document'), body(xml), ...more]);
const docxWith = (data: ZipEntry['data'], more: Partial<ZipEntry> = {}) =>
  getZip([types('wordprocessingml.document'), { name: 'word/document.xml', data, ...more }]);
/** Makes a document that repeats one piece many times. */
const longDocx = async (piece: Buffer, times: number, head = '', tail = '') =>
  docxWith({
    deflated: await deflated(piece, times, { raw: true, head: documentHead + head, tail: tail + documentTail }),
  });
const blanks = async (megabytes: number) => ({
  deflated: await deflated(Buffer.alloc(mib, ' '), megabytes, { raw: true }),
});

const sheets = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const xlsx = (sheet: string, ...more: ZipEntry[]) =>
  getZip([
    types('spreadsheetml.sheet'),
    {
      name: 'xl/workbook.xml',
      data: `<workbook ${sheets} xmlns:r="${relations}"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    },
    { name: 'xl/worksheets/sheet1.xml', data: `<worksheet ${sheets}>${sheet}</worksheet>` },
    ...more,
  ]);
const oneCell = '<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>';

const openDocument = (type: string, xml: string) =>
  getZip([
    { name: 'mimetype', data: `application/vnd.oasis.opendocument.${type}` },
    {
      name: 'content.xml',
      data: `<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:body>${xml}</office:body></office:document-content>`,
    },
  ]);
const laughs = Array.from({ length: 10 }, (_, level) => `<!ENTITY a${level + 1} "${`&a${level};`.repeat(10)}">`).join(
  '',
);

const tooMuch = /holds more text than fits/;
const memory = /unpacks to more memory/;
const damaged = /is damaged/;

/**
 * Small office files that would fill the memory or take practically for ever, each with the message that refuses it.
 */
export const refusedOffice: readonly (readonly [name: string, sentence: RegExp, bytes: () => Promise<Buffer>])[] = [
  ['an entry of a gigabyte', tooMuch, async () => docxWith(await blanks(1_000))],
  [
    'an entry of a gigabyte that claims to have 100 bytes',
    tooMuch,
    async () => docxWith(await blanks(1_000), { size: 100 }),
  ],
  [
    'forty entries of 100 MB',
    tooMuch,
    async () => {
      const data = await blanks(100);
      return docx(paragraph, ...Array.from({ length: 40 }, (_, index) => ({ name: `word/header${index}.xml`, data })));
    },
  ],
  [
    '60,000 entries',
    tooMuch,
    async () =>
      docx(paragraph, ...Array.from({ length: 60_000 }, (_, index) => ({ name: `word/${index}.xml`, data: '' }))),
  ],
  [
    'thousands of entries that are all the same gigabyte',
    tooMuch,
    async () => {
      const data = await blanks(1_000);
      const shared = Array.from({ length: 5_000 }, (_, index) => ({
        name: `word/header${index}.xml`,
        data,
        sharedWith: 1,
      }));
      return getZip([types('wordprocessingml.document'), { name: 'word/document.xml', data }, ...shared]);
    },
  ],
  ['forty million paragraphs', tooMuch, () => longDocx(Buffer.from('<w:p/>'.repeat(100_000)), 400)],
  [
    '900,000 paragraphs',
    // If garbage is collected early enough, they fit. Then the file is read, and it has no text.
    new RegExp(`${memory.source}|has no text in it`),
    () => longDocx(Buffer.from('<w:p/>'.repeat(1_000)), 900),
  ],
  [
    'a paragraph of 100 MB',
    tooMuch,
    () => longDocx(Buffer.alloc(mib, 'x'), 100, '<w:p><w:r><w:t>', '</w:t></w:r></w:p>'),
  ],
  ['elements in elements, 100,000 deep', damaged, async () => docx('<w:p>'.repeat(100_000) + '</w:p>'.repeat(100_000))],
  [
    'tables in tables, 20,000 deep',
    damaged,
    async () => docx('<w:tbl><w:tr><w:tc>'.repeat(20_000) + '</w:tc></w:tr></w:tbl>'.repeat(20_000)),
  ],
  [
    'one text of a megabyte in 50,000 cells',
    tooMuch,
    async () =>
      xlsx(
        `<sheetData>${Array.from({ length: 50_000 }, (_, index) => `<row r="${index + 1}"><c r="A${index + 1}" t="s"><v>0</v></c></row>`).join('')}</sheetData>`,
        { name: 'xl/sharedStrings.xml', data: `<sst ${sheets}><si><t>${'portico '.repeat(130_000)}</t></si></sst>` },
      ),
  ],
  [
    'a row that is repeated a million times, of a cell that is repeated 16,384 times',
    tooMuch,
    async () =>
      openDocument(
        'spreadsheet',
        '<office:spreadsheet><table:table table:name="S"><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>1</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>',
      ),
  ],
  [
    'a thousand million blanks from a repeat count',
    tooMuch,
    async () =>
      openDocument(
        'text',
        `<office:text>${'<text:p>a<text:s text:c="1000000"/>b</text:p>'.repeat(1_000)}</office:text>`,
      ),
  ],
  ['groups in groups, a million deep', damaged, async () => Buffer.from(`{\\rtf1 ${'{'.repeat(1_000_000)}a`)],
];

/** Small office files whose bomb is in a part that isn't read, each with the text that is read from it. */
export const readOffice: readonly (readonly [name: string, text: RegExp, bytes: () => Promise<Buffer>])[] = [
  [
    'a picture of a gigabyte',
    /^A portico\.$/,
    async () =>
      docx(paragraph, {
        name: 'word/media/image1.png',
        data: { deflated: await deflated(Buffer.alloc(mib), 1_000, { raw: true }) },
      }),
  ],
  [
    'an archive in an archive',
    /^A portico\.$/,
    async () => {
      const inner = getZip([{ name: 'a.xml', data: await blanks(1_000) }]);
      const data = { deflated: await deflated(inner, 1, { raw: true }) };
      return docx(paragraph, { name: 'word/embeddings/Microsoft_Excel_Sheet1.xlsx', data });
    },
  ],
  [
    'entities of ten entities of ten entities, ten times',
    /^&amp;a10;$/,
    async () =>
      docxWith(
        `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "portico">${laughs}]>${documentHead.slice(documentHead.indexOf('<w:'))}<w:p><w:r><w:t>&a10;</w:t></w:r></w:p>${documentTail}`,
      ),
  ],
  [
    'an attribute of 100 MB',
    /^A portico\.$/,
    () => longDocx(Buffer.alloc(mib, 'x'), 100, '<w:p w:rsidR="', `"><w:r><w:t>A portico.</w:t></w:r></w:p>`),
  ],
  [
    'an element of 300,000 attributes',
    /^A portico\.$/,
    async () =>
      docx(`<w:p ${Array.from({ length: 300_000 }, (_, index) => `a${index}="1"`).join(' ')}></w:p>${paragraph}`),
  ],
  [
    'a sheet that says it has 16,384 × 1,048,576 cells',
    /\| 1 \|/,
    async () =>
      xlsx(
        '<dimension ref="A1:XFD1048576"/><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>',
      ),
  ],
  [
    'merged cells of the whole sheet, a hundred times',
    /\| 1 \|/,
    async () => xlsx(`${oneCell}<mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(100)}</mergeCells>`),
  ],
  [
    'five million shared texts',
    /\| 1 \|/,
    async () =>
      xlsx(oneCell, {
        name: 'xl/sharedStrings.xml',
        data: {
          deflated: await deflated(Buffer.from('<si><t>a</t></si>'.repeat(50_000)), 100, {
            raw: true,
            head: `<sst ${sheets}>`,
            tail: '</sst>',
          }),
        },
      }),
  ],
];

/** Ordinary office files of several megabytes, each with the last words in it. */
export const largeOffice: readonly (readonly [name: string, last: string, bytes: () => Buffer])[] = [
  [
    'report.docx',
    'Paragraph 2400.',
    () => {
      const run =
        '<w:r w:rsidR="00A1"><w:rPr><w:sz w:val="22"/></w:rPr><w:t xml:space="preserve">Columns carry a roof. </w:t></w:r>';
      const paragraphs = Array.from(
        { length: 2_400 },
        (_, index) =>
          `<w:p><w:pPr><w:spacing w:after="120"/></w:pPr>${run.repeat(5)}<w:r><w:t>Paragraph ${index + 1}.</w:t></w:r></w:p>`,
      );
      return docx(
        paragraphs.join(''),
        ...Array.from({ length: 4 }, (_, index) => ({
          name: `word/media/image${index}.png`,
          data: { deflated: deflateRawSync(randomBytes(2 * mib)) },
        })),
      );
    },
  ],
  [
    'budget.xlsx',
    '| 96000 |',
    () => {
      const rows = Array.from({ length: 8_000 }, (_, row) => {
        const cells = Array.from({ length: 12 }, (_, column) => {
          const place = `${String.fromCharCode(65 + column)}${row + 1}`;
          return `<c r="${place}" s="2"><v>${row * 12 + column + 1}</v></c>`;
        });
        return `<row r="${row + 1}">${cells.join('')}</row>`;
      });
      return xlsx(`<sheetData>${rows.join('')}</sheetData>`, {
        name: 'xl/media/image1.png',
        data: { deflated: deflateRawSync(randomBytes(5 * mib)) },
      });
    },
  ],
];
