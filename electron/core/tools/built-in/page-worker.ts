import { parentPort, workerData } from 'node:worker_threads';
import { type PageBytes, pageText } from './page-text.ts';

/** Reads one page. Its thread is terminated afterwards, or earlier if the page takes too long. */
try {
  parentPort?.postMessage({ value: pageText(workerData as PageBytes) });
} catch (error) {
  parentPort?.postMessage({ error });
}
