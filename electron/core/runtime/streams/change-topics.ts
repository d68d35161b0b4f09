import type { Topic } from '#shared/contract/app/changes.ts';
import { frameMs, openNotifier, pause } from './pace.ts';

export interface Changes {
  emit(...topics: Topic[]): void;
  /** Whether any window listens. */
  isWatched(): boolean;
  /** Whether several windows listen. */
  isShared(): boolean;
  /** Returns the keys of the new chats of all open windows. */
  openNewChats(): string[];
  /** Listens within the core. Returns a function that stops listening. */
  listen(listener: (topics: readonly Topic[]) => void): () => void;
  /**
   * Streams the topics that change from now on. Topics that change together are sent together, so a slow reader costs
   * only one set of names.
   */
  watch(
    input: { newChat: string } | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<{ topics: Topic[] }, void>;
}

/** Announces changed topics to every window, which then refetches. */
export function openChanges(): Changes {
  const readers = new Map<(topics: Topic[]) => void, string | undefined>();
  const listeners = new Set<(topics: readonly Topic[]) => void>();
  return {
    emit(...topics) {
      for (const reader of [...readers.keys(), ...listeners]) reader(topics);
    },
    isWatched: () => readers.size > 0,
    isShared: () => readers.size > 1,
    openNewChats: () => [...readers.values()].flatMap((newChat) => newChat ?? []),
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async *watch(input, signal) {
      const news = new Set<Topic>();
      const notifier = openNotifier();
      const reader = (topics: Topic[]) => {
        for (const topic of topics) news.add(topic);
        notifier.notify();
      };
      readers.set(reader, input?.newChat);
      try {
        while (await notifier.next(signal)) {
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
