import { getDocument, PDFWorker } from 'pdfjs-dist/legacy/build/pdf.mjs';
import workerUrl from 'pdfjs-dist/legacy/build/pdf.worker.mjs?worker&url';
import { startWorker } from '../../../browser/trusted-worker.ts';

export interface PdfPage {
  /** The first page as a data URL. */
  readonly picture: string;
  readonly width: number;
  readonly height: number;
  readonly pages: number;
}

const widthPx = 720;
const tallestPx = 2000;
/** A malicious document could take forever, so its worker is terminated after this time. */
const limitMs = 15_000;

/**
 * Renders the first page of a PDF in its own worker, which is terminated afterwards. No script of the document runs and
 * nothing is fetched. Rejects if the PDF is locked, damaged or too slow.
 */
export async function firstPage(bytes: Uint8Array): Promise<PdfPage> {
  const port = startWorker(workerUrl);
  const worker = PDFWorker.create({ port });
  const task = getDocument({
    data: bytes,
    worker,
    verbosity: 0,
    enableXfa: false,
    useWasm: false,
    useWorkerFetch: false,
    stopAtErrors: false,
    maxImageSize: 40_000_000,
  });
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('The PDF takes too long to draw.')), limitMs);
  try {
    return await Promise.race([drawn(task), late]);
  } finally {
    clearTimeout(timer);
    port.terminate();
    worker.destroy();
  }
}

async function drawn(task: ReturnType<typeof getDocument>): Promise<PdfPage> {
  const pdf = await task.promise;
  const page = await pdf.getPage(1);
  const natural = page.getViewport({ scale: 1 });
  const scale = Math.min(widthPx / natural.width, tallestPx / natural.height);
  const viewport = page.getViewport({ scale });
  const [width, height] = [Math.ceil(viewport.width), Math.ceil(viewport.height)];
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  await page.render({ canvas, viewport, background: '#ffffff' }).promise;
  return { picture: canvas.toDataURL('image/png'), width, height, pages: pdf.numPages };
}
