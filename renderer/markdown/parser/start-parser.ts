import { startWorker } from '../../browser/trusted-worker.ts';
import { createDocumentParser, type DocumentParser } from './document-parser.ts';
import workerUrl from './parse.worker.ts?worker&url';

export const startParser = (): DocumentParser => createDocumentParser(() => startWorker(workerUrl));
