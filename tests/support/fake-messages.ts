import { implement, ORPCError } from '@orpc/server';
import type { Topic } from '#shared/contract/app/changes.ts';
import { contract } from '#shared/contract/index.ts';
import type { FakeData } from './fake-data.ts';
import type { fakeThread } from './fake-thread.ts';

const os = implement(contract);

interface Around {
  readonly guard: (method: string) => Promise<void>;
  readonly changed: (...topics: Topic[]) => void;
}

/** The contract's methods for single messages, in memory. */
export function fakeMessages(data: FakeData, thread: ReturnType<typeof fakeThread>, { guard, changed }: Around) {
  return {
    view: os.messages.view.handler(async ({ input }) => {
      await guard('messages.view');
      const ids = new Set(thread.branch(input.conversationId).map(({ id }) => id));
      const edits = [...data.edits].map(([messageId, text]) => ({ messageId, text }));
      return {
        edits: edits.filter((edit) => ids.has(edit.messageId)),
        expanded: data.expanded[input.conversationId] ?? [],
      };
    }),
    keepEdit: os.messages.keepEdit.handler(async ({ input }) => {
      await guard('messages.keepEdit');
      const stored = data.edits.get(input.messageId);
      if (stored !== undefined && stored !== input.known && stored !== input.text) {
        const message = data.messages.find(({ id }) => id === input.messageId)?.text ?? '';
        return { other: { text: stored, message } };
      }
      if (input.text === null) data.edits.delete(input.messageId);
      else data.edits.set(input.messageId, input.text);
      return { other: null };
    }),
    keepExpanded: os.messages.keepExpanded.handler(async ({ input }) => {
      await guard('messages.keepExpanded');
      data.expanded[input.conversationId] = input.expanded;
    }),
    show: os.messages.show.handler(async ({ input }) => {
      await guard('messages.show');
      const messageId = thread.sibling(input.messageId, input.step);
      thread.show(messageId);
      changed('messages');
      return { messageId };
    }),
    remove: os.messages.remove.handler(async ({ input }) => {
      await guard('messages.remove');
      const removal = thread.remove(input.messageId);
      changed('messages', 'conversations');
      return removal;
    }),
    restore: os.messages.restore.handler(async ({ input }) => {
      await guard('messages.restore');
      if (!thread.restore(input.deletionId)) throw new ORPCError('not_found', { message: 'There is no such removal.' });
      changed('messages', 'conversations');
    }),
  };
}
