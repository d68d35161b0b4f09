import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { toAppError } from '#shared/errors.ts';
import { type ImportNews, importPieces } from './import-pieces.ts';
import { readImport } from './read-import.ts';

/** Reads one export on a thread of its own. Each message to the thread asks for the next pieces. */
const port = parentPort;
if (port) {
  const send = (news: ImportNews) => port.postMessage(news);
  try {
    const { path } = workerData as { path: string };
    for await (const pieces of importPieces(readImport(path, randomUUID))) {
      send({ pieces, isLast: false });
      await once(port, 'message');
    }
    send({ pieces: [], isLast: true });
  } catch (error) {
    const { message, refusal, cause } = toAppError(error);
    send({ refused: { message, refusal, cause: cause instanceof Error ? cause.stack : undefined } });
  }
}
