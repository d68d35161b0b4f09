import { parentPort, workerData } from 'node:worker_threads';
import type { DocumentBytes } from './document-reader.ts';

/** Reads one document on a thread that is terminated afterwards, or before: a file could take for ever. */
try {
  const { bytes, format } = workerData as DocumentBytes;
  const value =
    format === 'pdf'
      ? await (await import('./pdf-size.ts')).pdfSize(bytes)
      : await (await import('./office-text.ts')).officeText(bytes);
  parentPort?.postMessage({ value });
} catch (error) {
  parentPort?.postMessage({ error });
}
