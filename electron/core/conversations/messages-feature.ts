import type { Changes } from '../streams/change-topics.ts';
import type { ThreadReaders } from '../streams/thread-readers.ts';
import type { BranchStore } from './branch-store.ts';

export interface MessagesDeps {
  readonly branches: BranchStore;
  readonly changes: Changes;
  readonly readers: Pick<ThreadReaders, 'publish'>;
  /** Stops those of these answers that are being written, and waits until their end is stored. */
  readonly stopAnswers: (ids: readonly string[]) => Promise<void>;
  readonly newId: () => string;
  readonly now: () => number;
}

/** So long a removal can be taken back. */
const undoMs = 86_400_000;

/** The branch that is shown, and messages that are taken away and brought back. */
export function messagesFeature({ branches, changes, readers, stopAnswers, newId, now }: MessagesDeps) {
  const purge = () => branches.purge(now() - undoMs);
  return {
    async show({ messageId, step }: { messageId: string; step: -1 | 0 | 1 }) {
      const { conversationId, shown, changed } = await branches.show(messageId, step);
      if (!changed) return { messageId: shown };
      // One step aside changes nothing above; a message elsewhere may hang on another branch from the beginning.
      readers.publish(
        conversationId,
        step === 0 ? { type: 'all-changed' } : { type: 'branch-changed', messageId: shown },
      );
      changes.emit('messages');
      return { messageId: shown };
    },

    async remove({ messageId }: { messageId: string }) {
      const deletionId = newId();
      const { conversationId, parentId, removed } = await branches.remove(messageId, deletionId, now());
      await stopAnswers(removed);
      await purge();
      readers.publish(
        conversationId,
        parentId === null ? { type: 'all-changed' } : { type: 'branch-changed', messageId: parentId },
      );
      changes.emit('messages', 'conversations');
      return { deletionId, messages: removed.length };
    },

    async restore({ deletionId }: { deletionId: string }) {
      readers.publish(await branches.restore(deletionId), { type: 'all-changed' });
      changes.emit('messages', 'conversations');
    },

    purge,
  };
}
