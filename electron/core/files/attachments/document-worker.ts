import { parentPort, workerData } from 'node:worker_threads';
import type { DocumentBytes } from './document-reader.ts';

/** Reads one document. Its thread is terminated afterwards, or earlier if the file takes too long. */
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
