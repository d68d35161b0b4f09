import { failureEntry, type Log } from '../runtime/log/log.ts';
import type { ConversationStore } from './conversation-store.ts';

/** How long a temporary chat that was left can be opened again. */
const graceMs = 60_000;

export interface TemporaryChatsDeps {
  readonly store: Pick<ConversationStore, 'temporaryIds' | 'find'>;
  readonly remove: (id: string) => Promise<void>;
  /** A window shows it. */
  readonly isWatched: (id: string) => boolean;
  readonly log: Log;
}

/** Removes temporary chats some time after another chat was opened in their place. */
export function temporaryChats({ store, remove, isWatched, log }: TemporaryChatsDeps) {
  const leaving = new Map<string, ReturnType<typeof setTimeout>>();

  async function end(id: string): Promise<void> {
    leaving.delete(id);
    // Another window shows it, or it was kept meanwhile.
    if (isWatched(id) || (await store.find(id))?.temporary !== 1) return;
    await remove(id);
  }

  return {
    /** This chat was opened, or a new one. Returns the temporary chats that are removed soon because of it. */
    async opened(id: string | null): Promise<string[]> {
      clearTimeout(leaving.get(id ?? ''));
      leaving.delete(id ?? '');
      const left = (await store.temporaryIds()).filter((each) => each !== id && !leaving.has(each));
      for (const each of left) {
        const timer = setTimeout(() => {
          end(each).catch((error: unknown) => log({ event: 'temporary_chat_kept', ...failureEntry(error) }));
        }, graceMs);
        timer.unref();
        leaving.set(each, timer);
      }
      return left;
    },

    close(): void {
      for (const timer of leaving.values()) clearTimeout(timer);
    },
  };
}
