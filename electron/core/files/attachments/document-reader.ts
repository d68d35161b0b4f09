import type { DocumentFault } from '#shared/language/refusal-words.ts';
import { type BoundedThreads, boundedThreads } from '../../worker/bounded-threads.ts';

/** The data that `document-worker.ts` receives. */
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

/** Reads documents on threads with a time limit, because a file may be built to take forever. */
export interface DocumentReader {
  pdf(bytes: Uint8Array, signal: AbortSignal): Promise<PdfSize>;
  office(bytes: Uint8Array, signal: AbortSignal): Promise<OfficeText>;
}

/** Large documents take a few seconds on slow processors. */
const usualTimeMs = 20_000;
/** Ordinary PDFs of 10 MB take 140 MB. A spreadsheet whose text just fits into a message takes 600 MB. */
const memoryMb: Record<DocumentBytes['format'], number> = { pdf: 384, office: 768 };
const maxAtOnce = 1;

/** `file` is `document-worker.ts`, built or as source. */
export function documentReader(file: string, timeMs = usualTimeMs): DocumentReader {
  const run: BoundedThreads<DocumentBytes, unknown> = boundedThreads(
    file,
    ({ format }) => ({ timeMs, memoryMb: memoryMb[format] }),
    maxAtOnce,
  );
  // The thread gets a copy, because the caller still needs these bytes to store them.
  const given = (format: DocumentBytes['format'], bytes: Uint8Array) => ({ format, bytes: new Uint8Array(bytes) });
  return {
    async pdf(bytes, signal) {
      const outcome = await run(given('pdf', bytes), signal);
      if ('value' in outcome) return outcome.value as PdfSize;
      // A slow machine isn't the file's fault. A file that fills the memory is malicious or broken.
      return { fault: outcome.ended === 'memory' ? 'memory' : 'unreadable' };
    },
    async office(bytes, signal) {
      const outcome = await run(given('office', bytes), signal);
      if ('value' in outcome) return outcome.value as OfficeText;
      return { fault: outcome.ended === 'memory' ? 'memory' : 'slow' };
    },
  };
}
