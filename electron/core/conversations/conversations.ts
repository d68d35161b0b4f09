import type { Conversation, Message } from '#shared/contract/conversations.ts';
import { AppError } from '#shared/errors.ts';
import type { Changes } from '../changes.ts';
import type { ConversationRow } from '../db.ts';
import type { ConversationStore, ListQuery } from './conversation-store.ts';
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
  async function toConversations(rows: readonly ConversationRow[]): Promise<Conversation[]> {
    const tags = await conversations.tagsOf(rows.map((row) => row.id));
    return rows.map((row) => toConversation(row, tags.get(row.id) ?? [], live.isLive(row.id)));
  }

  async function shown(row: ConversationRow): Promise<Conversation> {
    const tags = await conversations.tagsOf([row.id]);
    return toConversation(row, tags.get(row.id) ?? [], live.isLive(row.id));
  }

  async function existing(id: string): Promise<ConversationRow> {
    const row = await conversations.find(id);
    if (!row) throw new AppError('not_found', 'This conversation is not here any more.');
    return row;
  }

  return {
    async list(query: ListQuery) {
      const page = await conversations.page(query);
      return { conversations: await toConversations(page.rows), nextCursor: page.nextCursor };
    },

    /** Those of these that there are, by id. */
    async byIds(ids: readonly string[]): Promise<Map<string, Conversation>> {
      const found = await toConversations(await conversations.findAll(ids));
      return new Map(found.map((conversation) => [conversation.id, conversation]));
    },

    async get({ id }: { id: string }) {
      const row = await existing(id);
      const branch = await messages.branch(id, row.active_leaf);
      return { conversation: await shown(row), messages: branch.map(live.current) };
    },

    async rename({ id, title }: { id: string; title: string }): Promise<Conversation> {
      await existing(id);
      await conversations.rename(id, title);
      changes.emit('conversations');
      return shown(await existing(id));
    },

    /** Removing what is gone already is no error. */
    async remove({ id }: { id: string }): Promise<void> {
      await live.stopAll(id);
      await conversations.remove(id);
      changes.emit('conversations', 'messages');
    },
  };
}

const toConversation = (row: ConversationRow, tags: string[], live: boolean): Conversation => ({
  id: row.id,
  title: row.title,
  model: row.model,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  live,
  folderId: row.folder_id,
  tags,
  pinned: row.pinned === 1,
  archived: row.archived_at !== null,
  trashedAt: row.trashed_at,
});
