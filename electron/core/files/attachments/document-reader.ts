import type { DocumentFault } from '#shared/language/refusal-words.ts';
import { type BoundedThreads, boundedThreads } from '../../worker/bounded-threads.ts';

/** What `document-worker.ts` is given. */
export interface DocumentBytes {
  readonly format: 'pdf' | 'office';
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type PdfSize =
  | { readonly pages: number; readonly textBytes: number; readonly fault?: never }
  | { readonly fault: 'locked' | 'unreadable' | 'memory' };

export type OfficeText =
  | { readonly text: string; readonly fault?: never }
  | { readonly text?: never; readonly fault: DocumentFault };

/** Reads documents on threads that end: a file could be built to take for ever. */
export interface DocumentReader {
  pdf(bytes: Uint8Array, signal: AbortSignal): Promise<PdfSize>;
  office(bytes: Uint8Array, signal: AbortSignal): Promise<OfficeText>;
}

/** Large ones take a few seconds where processors are slow. */
const usualTimeMs = 20_000;
/** Ordinary PDFs of 10 MB take 140; a spreadsheet whose text just fits into a message takes 600. */
const memoryMb: Record<DocumentBytes['format'], number> = { pdf: 384, office: 768 };
const maxAtOnce = 1;

/** `file`: `document-worker.ts`, built or as source. */
export function documentReader(file: string, timeMs = usualTimeMs): DocumentReader {
  const run: BoundedThreads<DocumentBytes, unknown> = boundedThreads(
    file,
    ({ format }) => ({ timeMs, memoryMb: memoryMb[format] }),
    maxAtOnce,
  );
  // The thread gets a copy: the caller goes on to store these bytes.
  const given = (format: DocumentBytes['format'], bytes: Uint8Array) => ({ format, bytes: new Uint8Array(bytes) });
  return {
    async pdf(bytes, signal) {
      const outcome = await run(given('pdf', bytes), signal);
      if ('value' in outcome) return outcome.value as PdfSize;
      // A slow machine is no fault of the file; a file that fills the memory is built to, or broken.
      return { fault: outcome.ended === 'memory' ? 'memory' : 'unreadable' };
    },
    async office(bytes, signal) {
      const outcome = await run(given('office', bytes), signal);
      if ('value' in outcome) return outcome.value as OfficeText;
      return { fault: outcome.ended === 'memory' ? 'memory' : 'slow' };
    },
  };
}
