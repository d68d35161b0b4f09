import { refusal } from '#shared/language/refusals.ts';
import { type EventBuffer, openEventBuffer, type PageRequest, type ThreadChange } from './event-buffer.ts';

export interface ThreadReader {
  readonly id: string;
  readonly buffer: EventBuffer;
  close(): void;
}

/** The readers of each conversation. A reader that does not read costs one bounded buffer. */
export function openThreadReaders(newId: () => string) {
  const readers = new Map<string, { readonly conversationId: string; readonly buffer: EventBuffer }>();
  const asked = new Map<string, Set<PageRequest>>();
  const closed = () => refusal('not_found', 'viewClosed');

  return {
    publish(conversationId: string, change: ThreadChange): void {
      for (const reader of readers.values()) if (reader.conversationId === conversationId) reader.buffer.add(change);
    },

    isWatched: (conversationId: string): boolean =>
      [...readers.values()].some((reader) => reader.conversationId === conversationId),

    /** Everything may have changed: each reader gets a snapshot. */
    refreshAll(): void {
      for (const { buffer } of readers.values()) buffer.add({ type: 'all-changed' });
    },

    open(conversationId: string): ThreadReader {
      const id = newId();
      const buffer = openEventBuffer();
      readers.set(id, { conversationId, buffer });
      asked.set(id, new Set());
      return {
        id,
        buffer,
        close() {
          readers.delete(id);
          for (const request of asked.get(id) ?? []) request.settle(closed());
          asked.delete(id);
        },
      };
    },

    /** Resolves when the page is in the reader’s stream. */
    ask(readerId: string, wanted: Pick<PageRequest, 'to' | 'messageId'>): Promise<void> {
      return new Promise((resolve, reject) => {
        const reader = readers.get(readerId);
        if (!reader) return reject(closed());
        const request: PageRequest = {
          type: 'page-wanted',
          ...wanted,
          settle(failure) {
            asked.get(readerId)?.delete(request);
            if (failure === undefined) resolve();
            else reject(failure);
          },
        };
        asked.get(readerId)?.add(request);
        reader.buffer.add(request);
      });
    },
  };
}

export type ThreadReaders = ReturnType<typeof openThreadReaders>;
