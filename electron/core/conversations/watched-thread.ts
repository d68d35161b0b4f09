import type { ChatEvent, ThreadSnapshot } from '#shared/contract/chat/chat.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { ConversationTotal } from '#shared/contract/common/bills.ts';
import { maxAtOnce } from '#shared/contract/common/limits.ts';
import { refusal } from '#shared/language/refusals.ts';
import { frameMs, pause } from '../runtime/streams/pace.ts';
import type { PageRequest, ThreadChange } from '../runtime/streams/thread-readers.ts';
import type { CoreContext } from '../storage/core-context.ts';
import type { conversationsFeature } from './conversations-feature.ts';

export interface WatchedThreadDeps extends CoreContext {
  readonly chats: Pick<ReturnType<typeof conversationsFeature>, 'get' | 'around' | 'byIds' | 'getComparisons' | 'seen'>;
  /** Returns the running answers of a conversation, on any branch. */
  readonly running: (conversationId: string) => Message[];
  readonly getTotal: (conversationId: string) => Promise<ConversationTotal>;
}

interface Watch {
  readonly conversationId: string;
  readonly at: 'end' | 'scroll_position';
  readonly limit: number;
}

type AskedPage =
  | { readonly readerId: string; readonly to: 'end' }
  | { readonly readerId: string; readonly to: 'older' | 'newer' | 'message'; readonly messageId: string };

const pageSize = 60;
const besides = 30;

/** Opens a stream for a reader. It begins with a snapshot, and then has each change, in at most one batch per frame. */
export function watchedThread({ readers, chats, running, getTotal }: WatchedThreadDeps) {
  return {
    async *watch(
      { conversationId, at, limit }: Watch,
      signal: AbortSignal | undefined,
    ): AsyncGenerator<ChatEvent, void> {
      const reader = readers.open(conversationId);
      const { buffer } = reader;
      let seq = 0;
      let given = 0;

      type Page = Omit<ThreadSnapshot, 'type' | 'seq' | 'readerId' | 'answers' | 'total'>;
      const toSnapshot = async ({ conversation, scrollPosition, ...threadPage }: Page): Promise<ChatEvent> => {
        const total = await getTotal(conversationId);
        given = threadPage.messages.length;
        const head = { type: 'snapshot', seq: ++seq, readerId: reader.id, conversation, scrollPosition } as const;
        return { ...head, ...threadPage, answers: running(conversationId), total };
      };
      /** Returns a new snapshot of about the same size, at the stored scroll position or at the end. */
      const again = async () =>
        toSnapshot(
          await chats.get({
            id: conversationId,
            limit: Math.min(maxAtOnce, Math.max(limit, given)),
            at: 'scroll_position',
          }),
        );
      const conversation = async () => {
        const found = (await chats.byIds([conversationId])).get(conversationId);
        if (!found) throw refusal('not_found', 'conversationGone');
        return found;
      };

      async function page({ to, messageId }: PageRequest): Promise<ChatEvent> {
        if (messageId === null) return toSnapshot(await chats.get({ id: conversationId, limit, at: 'end' }));
        const before = to === 'older' ? pageSize : to === 'message' ? besides : 0;
        const after = to === 'newer' ? pageSize : to === 'message' ? besides : 0;
        const threadPage = await chats.around({ messageId, before, after });
        if (threadPage.messages[0]?.conversationId !== conversationId) throw refusal('not_found', 'messageGone');
        if (to !== 'older' && to !== 'newer')
          return toSnapshot({ ...threadPage, conversation: await conversation(), scrollPosition: null });
        given += threadPage.messages.length;
        return { type: 'page', seq: ++seq, at: to, edgeId: messageId, ...threadPage };
      }

      async function getEvent(change: ThreadChange): Promise<ChatEvent | null> {
        switch (change.type) {
          case 'text-delta':
          case 'reasoning-delta':
            return change;
          case 'message-added':
            given++;
            return { ...change, comparisons: await chats.getComparisons(change.message), seq: ++seq };
          case 'message-updated': {
            if (change.message.status === 'streaming') return { ...change, seq: ++seq };
            const [total, comparisons] = await Promise.all([
              getTotal(conversationId),
              chats.getComparisons(change.message),
            ]);
            return { ...change, total, comparisons, seq: ++seq };
          }
          case 'branch-changed': {
            const threadPage = await chats.around({ messageId: change.messageId, before: 0, after: pageSize });
            // The messages were removed meanwhile, so a snapshot replaces the page.
            if (threadPage.messages.length === 0) return again();
            const { hasOlder: _, ...shown } = threadPage;
            return { type: 'branch-shown', seq: ++seq, ...shown };
          }
          case 'conversation-changed': {
            const [changed, total] = await Promise.all([conversation(), getTotal(conversationId)]);
            return { type: 'conversation-updated', seq: ++seq, conversation: changed, total };
          }
          case 'all-changed':
            return again();
          case 'page-wanted':
            return page(change).then(
              (event) => {
                change.settle();
                return event;
              },
              (error: unknown) => {
                change.settle(error);
                return null;
              },
            );
        }
      }

      try {
        await chats.seen(conversationId);
        yield await toSnapshot(await chats.get({ id: conversationId, limit, at }));
        while (await buffer.ready(signal)) {
          const { events, overflow } = buffer.take();
          if (overflow) yield await again();
          for (const change of events) {
            const event = await getEvent(change);
            if (event) yield event;
          }
          await pause(frameMs, signal);
        }
      } finally {
        reader.close();
      }
    },

    async page(asked: AskedPage): Promise<void> {
      await readers.ask(asked.readerId, { to: asked.to, messageId: asked.to === 'end' ? null : asked.messageId });
    },
  };
}
