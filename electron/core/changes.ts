import type { Topic } from '#shared/contract/changes.ts';
import { frameMs, pause } from './pace.ts';
import { openWake } from './wake.ts';

export interface Changes {
  emit(...topics: Topic[]): void;
  /** What changes from now on. Changes that come together are told together; a slow reader costs one set of names. */
  watch(signal: AbortSignal | undefined): AsyncGenerator<{ topics: Topic[] }, void>;
}

/** Tells every window what has changed, so that it asks again. */
export function openChanges(): Changes {
  const readers = new Set<(topics: Topic[]) => void>();
  return {
    emit(...topics) {
      for (const reader of readers) reader(topics);
    },
    async *watch(signal) {
      const news = new Set<Topic>();
      const wake = openWake();
      const reader = (topics: Topic[]) => {
        for (const topic of topics) news.add(topic);
        wake.wake();
      };
      readers.add(reader);
      try {
        while (await wake.next(signal)) {
          const topics = [...news];
          news.clear();
          if (topics.length) yield { topics };
          await pause(frameMs, signal);
        }
      } finally {
        readers.delete(reader);
      }
    },
  };
}
