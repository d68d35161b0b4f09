import type { Settings } from '#shared/contract/app/settings.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { ConversationStore } from '../conversations/conversation-store.ts';
import type { Host } from '../runtime/host/host.ts';
import { failureEntry, type Log } from '../runtime/log/log.ts';
import type { LiveAnswers } from '../runtime/streams/live-answers.ts';

export interface EndedNoticeDeps {
  readonly host: Pick<Host, 'notify'>;
  readonly conversations: Pick<ConversationStore, 'find'>;
  readonly live: Pick<LiveAnswers, 'isLive'>;
  readonly log: Log;
  readonly wanted: () => Promise<Settings['notifications']>;
}

/**
 * Tells the system that a chat’s answers have ended, for a person who is elsewhere. Never their words, and the chat’s
 * title only if that was allowed.
 */
export function endedNotice({ host, conversations, live, wanted, log }: EndedNoticeDeps) {
  type Ended = Pick<Message, 'id' | 'conversationId' | 'status'>;

  async function tell({ id, conversationId, status }: Ended): Promise<void> {
    const how = await wanted();
    const chat = how === 'off' ? undefined : await conversations.find(conversationId);
    if (!chat) return;
    const title = how === 'titled' && chat.temporary === 0 ? chat.title : null;
    host.notify?.({ conversationId, messageId: id, failed: status === 'error', title });
  }

  return async (answer: Ended): Promise<void> => {
    // Who stopped an answer knows. Others of a comparison, or queued messages, may still be answered.
    const ended = (answer.status === 'done' || answer.status === 'error') && !live.isLive(answer.conversationId);
    if (host.notify && ended)
      await tell(answer).catch((error: unknown) => log({ event: 'notice_failed', ...failureEntry(error) }));
  };
}
