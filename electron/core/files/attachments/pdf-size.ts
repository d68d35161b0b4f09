import type { PdfSize } from './document-reader.ts';

/** Of a longer PDF, as many pages from all over it stand for the others. */
const maxPagesRead = 60;

/** A file names the number itself, and may name any: beyond this its size says more. */
const maxPages = 50_000;

/** Counts the pages of a PDF and measures its text. Runs on a thread of its own. */
export async function pdfSize(bytes: Uint8Array): Promise<PdfSize> {
  // It looks for these when it is loaded, to draw with: here nothing is drawn.
  Object.assign(globalThis, { DOMMatrix: class {}, ImageData: class {}, Path2D: class {} });
  // The parser itself: pdf.js would else look for its file beside the program.
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
    // What it cannot read a provider may read all the same.
    return { fault: 'unreadable' };
  }
}
