import { parentPort, workerData } from 'node:worker_threads';
import { type PageBytes, pageText } from './page-text.ts';

/** Reads the one page it was given, on a thread that is ended after it, or before: a page may be made to take for ever. */
try {
  parentPort?.postMessage({ value: pageText(workerData as PageBytes) });
} catch (error) {
  parentPort?.postMessage({ error });
}
