import { randomUUID } from 'node:crypto';
import { app, BrowserWindow, type Session, session } from 'electron';
import { printHeaders } from '#core/runtime/host/page.ts';
import { AppError } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';
import { refusePermissions } from './fences.ts';
import { scheme } from './protocol.ts';

const printOrigin = `${scheme}://print`;
/** The time limit for laying out and printing a page. Ten thousand messages take one to two minutes. */
const limitMs = 300_000;
const a4 = 'A4';
/** Countries that use letter size. */
const letterCountries = new Set(['US', 'CA', 'MX', 'PH', 'CL', 'CO', 'VE', 'CR', 'PA', 'GT', 'DO', 'PR']);

const footer = (
  fonts: string,
) => `<style>${fonts}</style><div style="width:100%;font:7pt Inter,system-ui,sans-serif;color:#5c5c66;padding:0 16mm;display:flex;justify-content:space-between">
<span class="title"></span><span><span class="pageNumber"></span> / <span class="totalPages"></span></span></div>`;

/** Pages being printed, by URL. */
const pages = new Map<string, Blob>();
let printing: Session | null = null;
let last: Promise<unknown> = Promise.resolve();

/**
 * Prints one of our pages in a hidden window without scripts, navigation, network or files: its session serves this
 * page only. Pages are printed one at a time, and the window is always closed. Rejects with `export_failed`.
 */
export function printPdf(html: Blob, signal: AbortSignal): Promise<Blob> {
  const next = last.then(() => print(html, AbortSignal.any([signal, AbortSignal.timeout(limitMs)])));
  last = next.catch(() => {});
  return next;
}

async function print(html: Blob, signal: AbortSignal): Promise<Blob> {
  if (signal.aborted) throw failure(signal);
  const url = `${printOrigin}/${randomUUID()}`;
  pages.set(url, html);
  const window = new BrowserWindow({
    show: false,
    webPreferences: {
      session: closedSession(),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      javascript: false,
      spellcheck: false,
    },
  });
  const { promise: broken, reject } = Promise.withResolvers<never>();
  const stop = () => reject(failure(signal));
  signal.addEventListener('abort', stop);
  window.webContents.on('render-process-gone', (_, { reason }) =>
    reject(failure(signal, new Error(`the page's process ended: ${reason}`))),
  );
  try {
    await Promise.race([window.loadURL(url), broken]);
    return new Blob([new Uint8Array(await Promise.race([window.webContents.printToPDF(await options()), broken]))]);
  } catch (cause) {
    throw cause instanceof AppError ? cause : failure(signal, cause);
  } finally {
    signal.removeEventListener('abort', stop);
    pages.delete(url);
    window.destroy();
  }
}

const options = async (): Promise<Electron.PrintToPDFOptions> => ({
  pageSize: letterCountries.has(app.getLocaleCountryCode()) ? 'Letter' : a4,
  // In inches. The footer has page numbers.
  margins: { top: 0.7, bottom: 0.8, left: 0.63, right: 0.63 },
  printBackground: true,
  displayHeaderFooter: true,
  headerTemplate: '<span></span>',
  footerTemplate: footer((await import('#core/transfer/print-fonts.ts')).footFont),
  // The PDF gets an outline of chats and headings, and tags for screen readers.
  generateDocumentOutline: true,
  generateTaggedPDF: true,
});

/** A session in memory that serves the pages being printed and refuses everything else. */
function closedSession(): Session {
  if (printing) return printing;
  const closed = session.fromPartition('print', { cache: false });
  closed.protocol.handle(scheme, ({ url }) => {
    const html = pages.get(url);
    return html === undefined
      ? new Response('', { status: 404 })
      : new Response(html, { headers: { ...printHeaders } });
  });
  closed.webRequest.onBeforeRequest(({ url }, answer) => {
    const own = url.startsWith(`${printOrigin}/`) || /^data:(?:image|font)\//.test(url);
    answer({ cancel: !own });
  });
  closed.on('will-download', (event) => event.preventDefault());
  refusePermissions(closed);
  printing = closed;
  return closed;
}

function failure(signal: AbortSignal, cause?: unknown): AppError {
  const { reason } = signal;
  if (signal.aborted && !(reason instanceof Error && reason.name === 'TimeoutError')) {
    return refusal('cancelled', 'exportGivenUp');
  }
  return refusal('export_failed', signal.aborted ? 'pdfLate' : 'pdfFailed', { cause });
}
