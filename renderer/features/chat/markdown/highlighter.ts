import workerUrl from './highlight.worker.ts?worker&url';
import type { HighlightAnswer, HighlightRequest } from './highlight-messages.ts';

export type Colour = (answer: HighlightAnswer) => void;

export interface Highlighter {
  /** Listens for the lines of one block until the returned function is called. */
  open(id: number, colour: Colour): () => void;
  ask(request: HighlightRequest): void;
}

interface Policy {
  createScriptURL(url: string): string;
}

/** Admits exactly the worker's address, so that the page can live under `require-trusted-types-for 'script'`. */
function trustedWorkerUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } };
  if (!trustedTypes) return workerUrl;
  const policy = trustedTypes.createPolicy('portico', {
    createScriptURL: (url) => {
      if (url !== workerUrl) throw new TypeError('Only the highlighter may be started');
      return url;
    },
  });
  return policy.createScriptURL(workerUrl);
}

/** One worker for all code of this window, started with the first block. Without it, code is plain. */
export function createHighlighter(): Highlighter {
  const readers = new Map<number, Colour>();
  let worker: Worker | null = null;

  const start = (): Worker => {
    const started = new Worker(trustedWorkerUrl(), { type: 'module' });
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
