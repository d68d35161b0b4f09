import { startWorker } from '../../browser/trusted-worker.ts';
import { createDocumentParser, type DocumentParser } from './document-parser.ts';
import workerUrl from './parse.worker.ts?worker&url';

/** The window's parser of Markdown; its worker starts with the first document. */
export const startParser = (): DocumentParser => createDocumentParser(() => startWorker(workerUrl));
