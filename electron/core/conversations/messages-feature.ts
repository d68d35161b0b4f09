import type { CoreContext } from '../storage/core-context.ts';
import { branchStore } from './branch-store.ts';

export interface MessagesDeps extends CoreContext {
  /** Stops those of the answers that are running, and waits until their ends are stored. */
  readonly stopAnswers: (ids: readonly string[]) => Promise<void>;
}

/** How long a removal can be undone. */
const undoMs = 86_400_000;

/** Switches branches, and removes and restores messages. */
export function messagesFeature({ db, changes, readers, stopAnswers, newId, now }: MessagesDeps) {
  const branches = branchStore(db);
  const purge = () => branches.purge(now() - undoMs);
  return {
    async show({ messageId, step }: { messageId: string; step: -1 | 0 | 1 }) {
      const { conversationId, shown, changed } = await branches.show(messageId, step);
      if (!changed) return { messageId: shown };
      // A step to a sibling changes nothing above it. Any other message may be on a branch that differs from the first
      // message on.
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
