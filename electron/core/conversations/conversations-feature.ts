import type { Conversation, Message, ScrollPosition } from '#shared/contract/chat/conversations.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { ConversationRow } from '../db/db.ts';
import type { Changes } from '../streams/change-topics.ts';
import type { ThreadReaders } from '../streams/thread-readers.ts';
import { withSums } from './answer-sum.ts';
import type { ConversationStore, ListQuery } from './conversation-store.ts';
import type { MessageStore, Stretch } from './message-store.ts';

const lastOpened = 'open-conversation';

export interface ConversationsDeps {
  readonly conversations: ConversationStore;
  readonly messages: MessageStore;
  readonly changes: Changes;
  readonly readers: Pick<ThreadReaders, 'publish'>;
  readonly settings: {
    readText(name: string): Promise<string | null>;
    write(name: string, value: unknown): Promise<void>;
  };
  /** Running answers. */
  readonly live: {
    isLive(conversationId: string): boolean;
    isWaiting(conversationId: string): boolean;
    ofConversation(conversationId: string): Message[];
    current(message: Message): Message;
    stopAll(conversationId: string): Promise<void>;
  };
}

/** The conversation list, and single conversations with the shown branch. */
export function conversationsFeature({ conversations, messages, changes, readers, settings, live }: ConversationsDeps) {
  async function toConversations(rows: readonly ConversationRow[]): Promise<Conversation[]> {
    const tags = await conversations.tagsOf(rows.map((row) => row.id));
    return rows.map((row) => toConversation(row, tags.get(row.id) ?? [], live));
  }

  async function shown(row: ConversationRow): Promise<Conversation> {
    const tags = await conversations.tagsOf([row.id]);
    return toConversation(row, tags.get(row.id) ?? [], live);
  }

  async function existing(id: string): Promise<ConversationRow> {
    const row = await conversations.find(id);
    if (!row) throw refusal('not_found', 'conversationGone');
    return row;
  }

  const current = (stretch: Stretch): Stretch => ({
    ...stretch,
    messages: withSums(stretch.messages.map(live.current)),
    columns: withSums(stretch.columns.map(live.current)),
  });

  /** The kept scroll position, if its message is on the shown branch. */
  async function shownPlace(row: ConversationRow): Promise<ScrollPosition | null> {
    const place: ScrollPosition | null = row.place === null ? null : JSON.parse(row.place);
    return place && (await messages.leafBelow(place.messageId)) === row.active_leaf ? place : null;
  }

  return {
    async list(query: ListQuery) {
      const page = await conversations.page(query);
      return { conversations: await toConversations(page.rows), nextCursor: page.nextCursor };
    },

    /** The conversations that exist, by id. */
    async byIds(ids: readonly string[]): Promise<Map<string, Conversation>> {
      const found = await toConversations(await conversations.findAll(ids));
      return new Map(found.map((conversation) => [conversation.id, conversation]));
    },

    async get({ id, limit, at }: { id: string; limit: number; at: 'end' | 'place' }) {
      const row = await existing(id);
      const place = at === 'place' ? await shownPlace(row) : null;
      const half = Math.floor(limit / 2);
      const stretch = place
        ? await messages.around(place.messageId, half, limit - half)
        : row.active_leaf
          ? await messages.around(row.active_leaf, limit - 1, 0)
          : { messages: [], columns: [], hasOlder: false, hasNewer: false };
      return {
        conversation: await shown(row),
        place,
        runningIds: live.ofConversation(id).map((answer) => answer.id),
        ...current(stretch),
      };
    },

    async around({ messageId, before, after }: { messageId: string; before: number; after: number }) {
      const stretch = await messages.around(messageId, before, after);
      if (stretch.messages.length === 0) throw refusal('not_found', 'messageGone');
      return current(stretch);
    },

    async keepScrollPosition({ id, place }: { id: string; place: ScrollPosition | null }): Promise<void> {
      await conversations.keepScrollPosition(id, place);
    },

    async opened({ id }: { id: string | null }): Promise<void> {
      await settings.write(lastOpened, id);
    },

    async lastOpened(): Promise<{ id: string | null }> {
      const row = await conversations.find((await settings.readText(lastOpened)) ?? '');
      return { id: row && row.trashed_at === null ? row.id : null };
    },

    async rename({ id, title }: { id: string; title: string }): Promise<Conversation> {
      await existing(id);
      await conversations.rename(id, title);
      readers.publish(id, { type: 'conversation-changed' });
      changes.emit('conversations');
      return shown(await existing(id));
    },

    /** No error if it does not exist. */
    async remove({ id }: { id: string }): Promise<void> {
      await live.stopAll(id);
      await conversations.remove(id);
      readers.publish(id, { type: 'all-changed' });
      changes.emit('conversations');
    },
  };
}

const toConversation = (row: ConversationRow, tags: string[], live: ConversationsDeps['live']): Conversation => ({
  id: row.id,
  title: row.title,
  model: row.model,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  live: live.isLive(row.id),
  waiting: live.isWaiting(row.id),
  folderId: row.folder_id,
  tags,
  pinned: row.pinned === 1,
  archived: row.archived_at !== null,
  trashedAt: row.trashed_at,
});
