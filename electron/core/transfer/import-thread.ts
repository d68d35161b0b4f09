import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AppError } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';
import { watchedHeap, watchMemory } from '../worker/watch-memory.ts';
import { type ImportNews, joinedPieces } from './reading/import-pieces.ts';
import type { ReadItem } from './reading/read-import.ts';

/** Yields the items of an export, one conversation at a time. Throws `import_refused`, or the signal's reason. */
export type ReadExport = (path: string) => AsyncGenerator<ReadItem, void>;

/** How much the import may let the process grow. A conversation of 50 MB takes some hundred megabytes. */
const usualMemoryMb = 896;

/**
 * Reads each export on a thread of its own, so nothing else waits while it is parsed. `file` is `import-worker.ts`,
 * built or as source.
 */
export const exportReader = (file: string, signal: AbortSignal, memoryMb = usualMemoryMb): ReadExport =>
  async function* read(path) {
    const worker = new Worker(file, { workerData: { path }, resourceLimits: watchedHeap(memoryMb) });
    const ended = new AbortController();
    const end = (reason: unknown) => ended.abort(reason);
    const onAbort = () => end(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    worker.on('error', end);
    worker.on('exit', () => end(new Error('the thread ended before the export did')));
    const endWatch = watchMemory(worker, memoryMb, () =>
      end(refusal('import_refused', 'importMemory', { megabytes: memoryMb })),
    );
    const join = joinedPieces();
    try {
      signal.throwIfAborted();
      for await (const [news] of on(worker, 'message', { signal: ended.signal }) as AsyncIterable<[ImportNews]>) {
        if ('refused' in news) {
          const { message, refusal: refused, cause } = news.refused;
          throw new AppError('import_refused', message, { cause, ...(refused && { refusal: refused }) });
        }
        for (const piece of news.pieces) {
          const item = join(piece);
          if (item) yield item;
        }
        if (news.isLast) return;
        worker.postMessage('more');
      }
    } catch (error) {
      // A thread that has sent its refusal also ends at that moment. The refusal is the error to report.
      throw ended.signal.aborted && !(error instanceof AppError) ? ended.signal.reason : error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      endWatch();
      await worker.terminate();
    }
  };
