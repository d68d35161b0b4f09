import type { Conversation, Message } from '#shared/contract/conversations.ts';
import { AppError } from '#shared/errors.ts';
import type { Changes } from '../changes.ts';
import type { ConversationRow } from '../db.ts';
import type { ConversationStore } from './conversation-store.ts';
import type { MessageStore } from './message-store.ts';

export interface ConversationsDeps {
  readonly conversations: ConversationStore;
  readonly messages: MessageStore;
  readonly changes: Changes;
  /** What the chat knows of answers that are being written. */
  readonly live: {
    isLive(conversationId: string): boolean;
    current(message: Message): Message;
    stopAll(conversationId: string): Promise<void>;
  };
}

/** The list of conversations, and one with the messages of the branch that is shown. */
export function conversationsFeature({ conversations, messages, changes, live }: ConversationsDeps) {
  const toConversation = (row: ConversationRow): Conversation => ({
    id: row.id,
    title: row.title,
    model: row.model,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    live: live.isLive(row.id),
  });

  async function existing(id: string): Promise<ConversationRow> {
    const row = await conversations.find(id);
    if (!row) throw new AppError('not_found', 'This conversation is not here any more.');
    return row;
  }

  return {
    async list({ limit, cursor }: { limit: number; cursor?: string | null | undefined }) {
      const page = await conversations.page(limit, cursor ?? null);
      return { conversations: page.rows.map(toConversation), nextCursor: page.nextCursor };
    },

    async get({ id }: { id: string }) {
      const row = await existing(id);
      const branch = await messages.branch(id, row.active_leaf);
      return { conversation: toConversation(row), messages: branch.map(live.current) };
    },

    async rename({ id, title }: { id: string; title: string }): Promise<Conversation> {
      await existing(id);
      await conversations.rename(id, title);
      changes.emit('conversations');
      return toConversation(await existing(id));
    },

    /** Removing what is gone already is no error. */
    async remove({ id }: { id: string }): Promise<void> {
      await live.stopAll(id);
      await conversations.remove(id);
      changes.emit('conversations', 'messages');
    },
  };
}
