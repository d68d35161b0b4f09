import type { Kysely } from 'kysely';
import type { ExportedConversation, ExportedMessage } from '#shared/contract/chat/exported-conversation.ts';
import { beingAdded, type Db, deleteChat, type Tables } from '../storage/database/db.ts';
import { toMessage } from '../storage/database/message-row.ts';
import { addMessages, addMessagesInParts, getLast, showBranch } from './add-messages.ts';
import { getGrowth, growChat, type KnownChat } from './grow-chat.ts';

/** Reads and adds whole conversations. */
export function transferStore(db: Db) {
  const known = async (sourceId: string, tx: Kysely<Tables>): Promise<KnownChat | null> =>
    (await tx
      .selectFrom('conversations')
      .select(['id', 'trashed_at', 'imported_until'])
      .where(({ eb, or }) => or([eb('import_source', '=', sourceId), eb('id', '=', sourceId.replace(/^portico:/, ''))]))
      .orderBy('import_source', 'desc')
      .executeTakeFirst()) ?? null;

  return {
    async read(id: string): Promise<ExportedConversation | null> {
      const row = await db
        .selectFrom('conversations as c')
        .leftJoin('folders as f', 'f.id', 'c.folder_id')
        .selectAll('c')
        .select('f.name as folder')
        .where('c.id', '=', id)
        .where('c.temporary', '=', 0)
        .executeTakeFirst();
      if (!row) return null;
      const messages = await db
        .selectFrom('messages')
        .selectAll()
        .where('conversation_id', '=', id)
        // Removed messages can be restored here, but are not exported.
        .where('deletion', 'is', null)
        .orderBy('seq')
        .execute();
      const tags = await db
        .selectFrom('conversation_tags')
        .select('tag')
        .where('conversation_id', '=', id)
        .orderBy('tag')
        .execute();
      return {
        id,
        title: row.title,
        model: row.model,
        createdAt: row.created_at,
        updatedAt: row.updated_at,
        activeLeaf: row.active_leaf,
        folder: row.folder,
        tags: tags.map((each) => each.tag),
        pinned: row.pinned === 1,
        archivedAt: row.archived_at,
        messages: messages.map((each) => {
          const {
            conversationId: _,
            sibling: __,
            ...message
          } = toMessage({ ...each, sibling_index: 1, sibling_count: 1 });
          return { ...message, source: each.source };
        }),
      };
    },

    /** Tells for many chats what each has that is not here; null: the chat itself is new. */
    async missing(): Promise<
      (sourceId: string, chat: ExportedConversation) => Promise<readonly ExportedMessage[] | null>
    > {
      const chats = await db
        .selectFrom('conversations')
        .select(['id', 'trashed_at', 'imported_until', 'import_source'])
        .execute();
      const here = new Map<string, KnownChat>();
      for (const chat of chats) here.set(`portico:${chat.id}`, chat);
      for (const chat of chats) if (chat.import_source !== null) here.set(chat.import_source, chat);
      return async (sourceId, conversation) => {
        const chat = here.get(sourceId);
        return chat ? (await getGrowth(db, chat, conversation)).added : null;
      };
    },

    /** Adds what is missing to the chat that is here; answers with it, and how much that was. */
    async grow(sourceId: string, conversation: ExportedConversation, newId: () => string) {
      const here = await known(sourceId, db);
      // Most have not grown. A long one takes seconds to compare, and in a transaction everybody else would wait for that.
      if (here && (await getGrowth(db, here, conversation)).added.length === 0) return { id: here.id, messages: 0 };
      return db.transaction().execute(async (tx) => {
        const chat = await known(sourceId, tx);
        return chat && { id: chat.id, messages: await growChat(tx, chat, conversation, newId) };
      });
    },

    /**
     * Adds one conversation, which is there for nobody before it is whole. Ids that exist get new ones. A long one comes in many commits:
     * in a single one everybody else would wait for seconds.
     */
    async add(
      conversation: ExportedConversation,
      sourceId: string | null,
      deps: { newId: () => string; now: number },
    ): Promise<void> {
      const { id, messages } = conversation;
      if (messages.length <= maxInOneCommit) {
        await db.transaction().execute(async (tx) => {
          await beginChat(tx, conversation);
          const getId = await addMessages(tx, id, messages, deps.newId);
          await showBranch(tx, getId(conversation.activeLeaf));
          await finishChat(tx, conversation, sourceId, getId(conversation.activeLeaf), deps);
        });
        return;
      }
      await beginChat(db, conversation);
      try {
        const getId = await addMessagesInParts(db, id, messages, deps.newId);
        await showBranch(db, getId(conversation.activeLeaf));
        await db
          .transaction()
          .execute((tx) => finishChat(tx, conversation, sourceId, getId(conversation.activeLeaf), deps));
      } catch (error) {
        // Where that fails as well, as on a full disk, the next start does it.
        await deleteChat(db, id).catch(() => {});
        throw error;
      }
    },
  };
}

export type TransferStore = ReturnType<typeof transferStore>;

/** Thousands take some tenths of a second. */
const maxInOneCommit = 2_000;

const beginChat = (tx: Kysely<Tables>, { id, title, model, createdAt, updatedAt }: ExportedConversation) =>
  tx
    .insertInto('conversations')
    .values({ id, title, model, created_at: createdAt, updated_at: updatedAt, temporary: beingAdded })
    .execute();

/** After its messages, because a new message takes a chat out of the archive. */
async function finishChat(
  tx: Kysely<Tables>,
  conversation: ExportedConversation,
  sourceId: string | null,
  leaf: string | null,
  { newId, now }: { newId: () => string; now: number },
): Promise<void> {
  const { id, folder, tags, pinned, archivedAt } = conversation;
  for (const tag of new Set(tags)) {
    await tx
      .insertInto('conversation_tags')
      .values({ conversation_id: id, tag })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  await tx
    .updateTable('conversations')
    .set({
      temporary: 0,
      folder_id: folder === null ? null : await folderNamed(folder),
      pinned: pinned ? 1 : 0,
      import_source: sourceId,
      imported_until: sourceId === null ? null : getLast(conversation),
      active_leaf: leaf,
      archived_at: archivedAt,
    })
    .where('id', '=', id)
    .execute();

  async function folderNamed(name: string): Promise<string> {
    const known = await tx.selectFrom('folders').select('id').where('name', '=', name).executeTakeFirst();
    if (known) return known.id;
    const id = newId();
    await tx.insertInto('folders').values({ id, name, created_at: now }).execute();
    return id;
  }
}
