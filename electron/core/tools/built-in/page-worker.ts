import { parentPort, workerData } from 'node:worker_threads';
import { type PageBytes, pageText } from './page-text.ts';

/** Reads one page on a thread that is terminated afterwards, or before: a page could take for ever. */
try {
  parentPort?.postMessage({ value: pageText(workerData as PageBytes) });
} catch (error) {
  parentPort?.postMessage({ error });
}
