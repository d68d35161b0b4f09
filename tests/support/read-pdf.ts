import { readFile } from 'node:fs/promises';
import { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';

export interface PdfPage {
  /** The words in their order. The pieces of a line are joined by a space. */
  readonly text: string;
  /** The space between the rightmost word and the page's edge, in points. */
  readonly spareRight: number;
  /** Colours of filled areas and text, such as `#1a1a1e`. */
  readonly fills: ReadonlySet<string>;
  readonly images: number;
}

export interface Pdf {
  readonly pages: readonly PdfPage[];
  readonly outline: readonly string[];
  readonly text: string;
  /** Font families in the document, such as `Inter`. */
  readonly fonts: ReadonlySet<string>;
}

/** Reads a PDF's content as its reader sees it. */
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
      fills: new Set(
        fnArray.flatMap((name, index) => (name === OPS.setFillRGBColor ? [String(argsArray[index]?.[0])] : [])),
      ),
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
