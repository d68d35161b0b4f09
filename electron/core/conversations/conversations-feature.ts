import type {
  ComparisonTotal,
  Conversation,
  Message,
  ScrollPosition,
  ThreadPage,
} from '#shared/contract/chat/conversations.ts';
import { refusal } from '#shared/language/refusals.ts';
import { failureEntry, type Log } from '../runtime/log/log.ts';
import type { CoreContext } from '../storage/core-context.ts';
import type { ConversationRow } from '../storage/database/db.ts';
import { comparisonTotals } from './comparison-total.ts';
import { type ConversationStore, forkConversation, type ListQuery } from './conversation-store.ts';
import type { MessageStore, StoredPage } from './message-store.ts';
import { withSums } from './message-store.ts';

/** How long a temporary chat can be opened again after the user left it. */
const graceMs = 60_000;

interface TemporaryChatsDeps {
  readonly store: Pick<ConversationStore, 'temporaryIds' | 'find'>;
  readonly remove: (id: string) => Promise<void>;
  /** Whether a window shows this chat. */
  readonly isWatched: (id: string) => boolean;
  readonly log: Log;
}

/** Removes a temporary chat some time after the user has opened another chat. */
export function temporaryChats({ store, remove, isWatched, log }: TemporaryChatsDeps) {
  const leaving = new Map<string, ReturnType<typeof setTimeout>>();

  async function end(id: string): Promise<void> {
    leaving.delete(id);
    // Another window may show the chat, or the user may have kept it meanwhile.
    if (isWatched(id) || (await store.find(id))?.temporary !== 1) return;
    await remove(id);
  }

  return {
    /**
     * Called when the user opens a chat, or a new one (null). Returns the temporary chats that will be removed soon
     * because of that.
     */
    async opened(id: string | null): Promise<string[]> {
      clearTimeout(leaving.get(id ?? ''));
      leaving.delete(id ?? '');
      const left = (await store.temporaryIds()).filter((chatId) => chatId !== id && !leaving.has(chatId));
      for (const chatId of left) {
        const timer = setTimeout(() => {
          end(chatId).catch((error: unknown) => log({ event: 'temporary_chat_kept', ...failureEntry(error) }));
        }, graceMs);
        timer.unref();
        leaving.set(chatId, timer);
      }
      return left;
    },

    close(): void {
      for (const timer of leaving.values()) clearTimeout(timer);
    },
  };
}

/** The pause after the last of several deletions, for example when the trash is emptied. */
const quietMs = 1_000;

interface ForgetDeletedDeps {
  readonly truncateLog: () => Promise<void>;
  readonly log: Log;
}

/**
 * Empties SQLite's write-ahead log after deletions, because deleted text stays readable there. In an app that runs all
 * day SQLite might not restart the log for hours. `soon` empties it a moment after a deletion, and closing the app
 * empties it in any case.
 */
function forgetDeleted({ truncateLog, log }: ForgetDeletedDeps) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    soon(): void {
      clearTimeout(timer);
      timer = setTimeout(() => {
        truncateLog().catch((error: unknown) => log({ event: 'deleted_words_kept', ...failureEntry(error) }));
      }, quietMs);
      timer.unref();
    },
    close: (): void => clearTimeout(timer),
  };
}

const lastOpened = 'open-conversation';

export interface ConversationsDeps extends CoreContext {
  readonly conversations: ConversationStore;
  readonly messages: MessageStore;
  readonly live: {
    isLive(conversationId: string): boolean;
    isWaiting(conversationId: string): boolean;
    current(message: Message): Message;
    stopAll(conversationId: string): Promise<void>;
  };
}

/** Lists conversations, and opens single ones with their shown branch. */
export function conversationsFeature(deps: ConversationsDeps) {
  const { conversations, messages, changes, readers, settings, live, log } = deps;

  async function toConversations(rows: readonly ConversationRow[]): Promise<Conversation[]> {
    const tags = await conversations.getTags(rows.map((row) => row.id));
    return rows.map((row) => toConversation(row, tags.get(row.id) ?? [], live));
  }

  async function shown(row: ConversationRow): Promise<Conversation> {
    const tags = await conversations.getTags([row.id]);
    return toConversation(row, tags.get(row.id) ?? [], live);
  }

  async function existing(id: string): Promise<ConversationRow> {
    const row = await conversations.find(id);
    if (!row) throw refusal('not_found', 'conversationGone');
    return row;
  }

  const current = (page: StoredPage): ThreadPage => {
    const columns = withSums(page.columns.map(live.current));
    const messages = withSums(page.messages.map(live.current));
    return { ...page, messages, columns, comparisons: comparisonTotals(columns) };
  };

  const deleted = forgetDeleted({ truncateLog: conversations.truncateLog, log });

  async function removeOne(id: string): Promise<void> {
    await live.stopAll(id);
    await conversations.remove(id);
    // An answer may have begun while the conversation was being deleted.
    await live.stopAll(id);
    deleted.soon();
    readers.publish(id, { type: 'all-changed' });
    changes.emit('conversations');
  }

  const temporary = temporaryChats({ store: conversations, remove: removeOne, isWatched: readers.isWatched, log });

  /** Returns the stored scroll position if its message is on the shown branch. */
  async function keptScrollPosition(row: ConversationRow): Promise<ScrollPosition | null> {
    const scrollPosition: ScrollPosition | null = row.place === null ? null : JSON.parse(row.place);
    return scrollPosition && (await messages.leafBelow(scrollPosition.messageId)) === row.active_leaf
      ? scrollPosition
      : null;
  }

  return {
    async list(query: ListQuery) {
      const page = await conversations.page(query);
      return { conversations: await toConversations(page.rows), nextCursor: page.nextCursor };
    },

    /** Returns those of the conversations that exist, by id. */
    async byIds(ids: readonly string[]): Promise<Map<string, Conversation>> {
      const found = await toConversations(await conversations.findAll(ids));
      return new Map(found.map((conversation) => [conversation.id, conversation]));
    },

    async get({ id, limit, at }: { id: string; limit: number; at: 'end' | 'scroll_position' }) {
      const row = await existing(id);
      const scrollPosition = at === 'scroll_position' ? await keptScrollPosition(row) : null;
      const half = Math.floor(limit / 2);
      const page = scrollPosition
        ? await messages.around(scrollPosition.messageId, half, limit - half)
        : row.active_leaf
          ? await messages.around(row.active_leaf, limit - 1, 0)
          : { messages: [], columns: [], hasOlder: false, hasNewer: false };
      return { conversation: await shown(row), scrollPosition, ...current(page) };
    },

    async around({ messageId, before, after }: { messageId: string; before: number; after: number }) {
      return current(await messages.around(messageId, before, after));
    },

    /** Returns the total of the comparison that an answer belongs to. Empty if it belongs to none. */
    async getComparisons({ conversationId, comparison }: Message): Promise<ComparisonTotal[]> {
      const answers = comparison ? await messages.compared(conversationId, comparison.id) : [];
      return comparisonTotals(withSums(answers.map(live.current)));
    },

    /** Marks a conversation as read, because a window shows it. */
    async seen(id: string): Promise<void> {
      if (await conversations.setUnread(id, false)) changes.emit('conversations');
    },

    async keepScrollPosition({
      id,
      scrollPosition,
    }: {
      id: string;
      scrollPosition: ScrollPosition | null;
    }): Promise<void> {
      await conversations.keepScrollPosition(id, scrollPosition);
    },

    async opened({ id }: { id: string | null }): Promise<{ leaving: string[] }> {
      await settings.write(lastOpened, id);
      return { leaving: await temporary.opened(id) };
    },

    async lastOpened(): Promise<{ id: string | null }> {
      const row = await conversations.find((await settings.readText(lastOpened)) ?? '');
      return { id: row?.trashed_at === null && row.temporary === 0 ? row.id : null };
    },

    async rename({ id, title }: { id: string; title: string }): Promise<Conversation> {
      await existing(id);
      await conversations.rename(id, title);
      readers.publish(id, { type: 'conversation-changed' });
      changes.emit('conversations');
      return shown(await existing(id));
    },

    async fork({ messageId }: { messageId: string }): Promise<Conversation> {
      const id = deps.newId();
      await forkConversation(deps.db, { messageId, id, now: deps.now(), newId: deps.newId });
      changes.emit('conversations');
      return shown(await existing(id));
    },

    async keep({ id }: { id: string }): Promise<void> {
      await existing(id);
      await conversations.keep(id);
      readers.publish(id, { type: 'conversation-changed' });
      changes.emit('conversations');
    },

    /** Deletes a conversation. It's no error if it doesn't exist. */
    remove: ({ id }: { id: string }): Promise<void> => removeOne(id),

    close(): void {
      temporary.close();
      deleted.close();
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
  unread: row.unread === 1,
  folderId: row.folder_id,
  tags,
  pinned: row.pinned === 1,
  archived: row.archived_at !== null,
  trashedAt: row.trashed_at,
  temporary: row.temporary === 1,
});
