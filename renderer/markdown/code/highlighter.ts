import { startWorker } from '../../browser/trusted-worker.ts';
import workerUrl from './highlight.worker.ts?worker&url';
import type { HighlightAnswer, HighlightRequest } from './highlight-messages.ts';

export type Colour = (answer: HighlightAnswer) => void;

interface Highlighter {
  /** Subscribes to the lines of one block. Returns a function that unsubscribes. */
  open(id: number, colour: Colour): () => void;
  ask(request: HighlightRequest): void;
}

/** One worker for all code of this window, started with the first block. Without it, code is plain. */
export const highlighter = createHighlighter();

function createHighlighter(): Highlighter {
  const readers = new Map<number, Colour>();
  let worker: Worker | null = null;

  const start = (): Worker => {
    const started = startWorker(workerUrl);
    started.addEventListener('message', ({ data }: MessageEvent<HighlightAnswer>) => readers.get(data.id)?.(data));
    return started;
  };

  return {
    open(id, colour) {
      readers.set(id, colour);
      return () => {
        readers.delete(id);
        worker?.postMessage({ type: 'forget', id } satisfies HighlightRequest);
      };
    },
    ask(request) {
      worker ??= start();
      worker.postMessage(request);
    },
  };
}
