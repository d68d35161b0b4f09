import type { PdfSize } from './document-reader.ts';

/** In a longer PDF, this many pages from all over it stand for the others. */
const maxPagesRead = 60;

/**
 * The file itself contains its number of pages, which may be false. Beyond this limit the size is a better estimate.
 */
const maxPages = 50_000;

/** Counts the pages of a PDF and measures its text. Must run on a thread of its own. */
export async function pdfSize(bytes: Uint8Array): Promise<PdfSize> {
  // pdf.js expects these classes for drawing when it is loaded. Nothing is drawn here.
  Object.assign(globalThis, { DOMMatrix: class {}, ImageData: class {}, Path2D: class {} });
  // Provides the parser itself, because pdf.js would otherwise look for its file next to the program.
  Object.assign(globalThis, { pdfjsWorker: await import('pdfjs-dist/legacy/build/pdf.worker.mjs') });
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const task = getDocument({ data: bytes, verbosity: 0, disableFontFace: true, useSystemFonts: false });
  try {
    const pdf = await task.promise;
    if (!Number.isInteger(pdf.numPages) || pdf.numPages < 1 || pdf.numPages > maxPages) return { fault: 'unreadable' };
    const step = Math.max(1, pdf.numPages / maxPagesRead);
    let [read, textBytes] = [0, 0];
    for (let page = 1; page <= pdf.numPages; page = Math.floor(++read * step) + 1) {
      const { items } = await (await pdf.getPage(page)).getTextContent();
      for (const item of items) if ('str' in item) textBytes += Buffer.byteLength(item.str) + (item.hasEOL ? 1 : 0);
    }
    return { pages: pdf.numPages, textBytes: Math.round((textBytes * pdf.numPages) / Math.max(1, read)) };
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') return { fault: 'locked' };
    // A provider may be able to read it nevertheless.
    return { fault: 'unreadable' };
  }
}
