import type { Changes } from '../changes.ts';
import type { BranchStore } from './branch-store.ts';

export interface MessagesDeps {
  readonly branches: BranchStore;
  readonly changes: Changes;
  /** Stops those of these answers that are being written, and waits until their end is stored. */
  readonly stopAnswers: (ids: readonly string[]) => Promise<void>;
  readonly newId: () => string;
  readonly now: () => number;
}

/** So long a removal can be taken back. */
const undoMs = 86_400_000;

/** The branch that is shown, and messages that are taken away and brought back. */
export function messagesFeature({ branches, changes, stopAnswers, newId, now }: MessagesDeps) {
  const purge = () => branches.purge(now() - undoMs);
  return {
    async show({ messageId, step }: { messageId: string; step: -1 | 0 | 1 }) {
      const { shown, changed } = await branches.show(messageId, step);
      if (changed) changes.emit('messages');
      return { messageId: shown };
    },

    async remove({ messageId }: { messageId: string }) {
      const deletionId = newId();
      const { removed } = await branches.remove(messageId, deletionId, now());
      await stopAnswers(removed);
      await purge();
      changes.emit('messages', 'conversations');
      return { deletionId, messages: removed.length };
    },

    async restore({ deletionId }: { deletionId: string }) {
      await branches.restore(deletionId);
      changes.emit('messages', 'conversations');
    },

    purge,
  };
}
