import { readFile } from 'node:fs/promises';
import { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';

export interface PdfPage {
  /** The words in their order, pieces of a line joined by a space. */
  readonly text: string;
  /** How much of the page's width the rightmost word leaves, in points. */
  readonly spareRight: number;
  /** Colours that something was filled with, such as `#1a1a1e`. */
  readonly fills: ReadonlySet<string>;
  readonly images: number;
}

export interface Pdf {
  readonly pages: readonly PdfPage[];
  readonly outline: readonly string[];
  readonly text: string;
  /** Families that something is written in, such as `Inter`. */
  readonly fonts: ReadonlySet<string>;
}

/** What stands in a PDF, as a reader of it sees it. */
export async function readPdf(path: string): Promise<Pdf> {
  const bytes = await readFile(path);
  const fonts = new Set(
    [...bytes.toString('latin1').matchAll(/\/FontName \/(?:[A-Z]{6}\+)?([A-Za-z]+)/g)].map(([, name = '']) => name),
  );
  const task = getDocument({ data: new Uint8Array(bytes), verbosity: 0 });
  const pdf = await task.promise;
  const pages: PdfPage[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const words = items.flatMap((item) => ('str' in item ? [item] : []));
    const { fnArray, argsArray } = await page.getOperatorList();
    const { width } = page.getViewport({ scale: 1 });
    pages.push({
      text: words.map((item) => item.str + (item.hasEOL ? '\n' : '')).join(''),
      spareRight: Math.min(
        ...words.filter(({ str }) => str.trim()).map((item) => width - item.transform[4] - item.width),
      ),
      fills: new Set(fnArray.flatMap((name, at) => (name === OPS.setFillRGBColor ? [String(argsArray[at]?.[0])] : []))),
      images: fnArray.filter((name) => name === OPS.paintImageXObject || name === OPS.paintInlineImageXObject).length,
    });
  }
  const outline = (await pdf.getOutline()) ?? [];
  await task.destroy();
  return { pages, outline: titles(outline), text: pages.map(({ text }) => text).join('\n'), fonts };
}

interface Entry {
  readonly title: string;
  readonly items: readonly Entry[];
}
const titles = (entries: readonly Entry[]): string[] =>
  entries.flatMap(({ title, items }) => [title, ...titles(items)]);
