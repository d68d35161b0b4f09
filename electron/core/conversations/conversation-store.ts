import { sql } from 'kysely';
import type { ScrollPosition } from '#shared/contract/chat/conversations.ts';
import { beingAdded, type ConversationRow, type Db, deleteChat } from '../storage/database/db.ts';
import { addAnswer, addConversation, addQuestion, insertAnswer, mustBeThere } from './add-rows.ts';
import type { NewAnswer, NewQuestion } from './message-store.ts';

export interface ListQuery {
  readonly limit: number;
  readonly cursor?: string | null | undefined;
  readonly view: 'active' | 'archived' | 'trash';
  readonly pinned?: boolean | null | undefined;
  /** `none`: in no folder. */
  readonly folderId?: string | null | undefined;
}

export interface Page {
  readonly rows: ConversationRow[];
  readonly nextCursor: string | null;
}

/** Conversations, and writes that change a conversation and its messages in one commit. */
export function conversationStore(db: Db) {
  return {
    find: (id: string): Promise<ConversationRow | undefined> =>
      db.selectFrom('conversations').selectAll().where('id', '=', id).executeTakeFirst(),

    /** The last message of the branch that is shown; null where there is none. */
    leaf: async (id: string): Promise<string | null> => {
      const row = await db.selectFrom('conversations').select('active_leaf').where('id', '=', id).executeTakeFirst();
      return row?.active_leaf ?? null;
    },
    findAll: (ids: readonly string[]): Promise<ConversationRow[]> =>
      db
        .selectFrom('conversations')
        .selectAll()
        .where('id', 'in', [...ids])
        .execute(),

    /** Newest first. The cursor is time and id of the last one of the previous page. */
    async page({ limit, cursor, view, pinned, folderId }: ListQuery): Promise<Page> {
      const after = parseCursor(cursor ?? null);
      let query = db.selectFrom('conversations').selectAll().where('temporary', '=', 0);
      if (view === 'trash') query = query.where('trashed_at', 'is not', null);
      else
        query = query.where('trashed_at', 'is', null).where('archived_at', view === 'active' ? 'is' : 'is not', null);
      if (pinned !== null && pinned !== undefined) query = query.where('pinned', '=', pinned ? 1 : 0);
      if (folderId === 'none') query = query.where('folder_id', 'is', null);
      else if (folderId) query = query.where('folder_id', '=', folderId);
      if (after) {
        query = query.where((by) => by.eb(by.refTuple('updated_at', 'id'), '<', by.tuple(after.updatedAt, after.id)));
      }
      const rows = await query
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      const page = rows.slice(0, limit);
      const last = rows.length > limit ? page.at(-1) : undefined;
      return { rows: page, nextCursor: last ? `${last.updated_at}.${last.id}` : null };
    },

    /** Tags by conversation. */
    async getTags(ids: readonly string[]): Promise<Map<string, string[]>> {
      const rows = await db
        .selectFrom('conversation_tags')
        .selectAll()
        .where('conversation_id', 'in', [...ids])
        .orderBy('tag')
        .execute();
      const tags = new Map<string, string[]>();
      for (const row of rows) tags.set(row.conversation_id, [...(tags.get(row.conversation_id) ?? []), row.tag]);
      return tags;
    },

    async rename(id: string, title: string): Promise<void> {
      await db.updateTable('conversations').set({ title }).where('id', '=', id).execute();
    },

    /** False: it was so before. */
    async setUnread(id: string, unread: boolean): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('conversations')
        .set({ unread: unread ? 1 : 0 })
        .where('id', '=', id)
        .where('unread', '=', unread ? 0 : 1)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    remove: (id: string): Promise<void> => remove(db, id),

    /** Empties the write-ahead log, in which what was deleted can still be read. */
    async truncateLog(): Promise<void> {
      await sql`pragma wal_checkpoint(truncate)`.execute(db);
    },

    async removeTemporary(): Promise<void> {
      for (const id of [...(await temporaryIds(db)), ...(await temporaryIds(db, beingAdded))]) await remove(db, id);
    },

    temporaryIds: (): Promise<string[]> => temporaryIds(db),

    async keep(id: string): Promise<void> {
      await db.updateTable('conversations').set({ temporary: 0 }).where('id', '=', id).execute();
    },

    async begin(conversation: {
      id: string;
      title: string;
      temporary: boolean;
      folderId: string | null;
      question: NewQuestion;
      answer: NewAnswer;
      now: number;
    }) {
      const { id, title, temporary, folderId, question, answer, now } = conversation;
      await db.transaction().execute(async (tx) => {
        await addConversation(tx, { id, title, model: answer.model, temporary, folderId }, now);
        await addQuestion(tx, id, null, question, now);
        await addAnswer(tx, id, question.id, answer, now);
      });
    },

    async keepScrollPosition(id: string, scrollPosition: ScrollPosition | null): Promise<void> {
      const text = scrollPosition && JSON.stringify(scrollPosition);
      await db.updateTable('conversations').set({ place: text }).where('id', '=', id).execute();
    },

    /** Adds the user’s message and its answer below another message and shows them. */
    async ask(conversationId: string, parentId: string | null, question: NewQuestion, answer: NewAnswer, now: number) {
      await db.transaction().execute(async (tx) => {
        if (parentId !== null) await mustBeThere(tx, parentId);
        await addQuestion(tx, conversationId, parentId, question, now);
        await addAnswer(tx, conversationId, question.id, answer, now);
      });
    },

    /** Adds another answer to an existing message. */
    async answerAgain(conversationId: string, questionId: string, answer: NewAnswer, now: number) {
      await db.transaction().execute(async (tx) => {
        await mustBeThere(tx, questionId);
        await addAnswer(tx, conversationId, questionId, answer, now);
      });
    },

    /** Adds a continuation as a child of the answer, so that each request has its own bill. */
    async goOn(conversationId: string, answerId: string, answer: NewAnswer, now: number) {
      await db.transaction().execute(async (tx) => {
        await mustBeThere(tx, answerId);
        await addAnswer(tx, conversationId, answerId, answer, now, 1);
      });
    },

    /** The same without an action of the user: the shown branch and the chosen model stay. */
    async nextRound(conversationId: string, answerId: string, answer: NewAnswer, now: number) {
      await db.transaction().execute(async (tx) => {
        await mustBeThere(tx, answerId);
        await insertAnswer(tx, conversationId, answerId, answer, now, 1);
        await tx.updateTable('messages').set({ shown_child: answer.id }).where('id', '=', answerId).execute();
        await tx
          .updateTable('conversations')
          .set({ active_leaf: answer.id })
          .where('id', '=', conversationId)
          .where('active_leaf', '=', answerId)
          .execute();
      });
    },
  };
}

/** Deletes it for good, its words included. Costs that are not known yet stay findable by the names of their requests. */
async function remove(db: Db, id: string): Promise<void> {
  await sql`pragma secure_delete = on`.execute(db);
  await db.transaction().execute(async (tx) => {
    await sql`update spend set client_request_id = m.client_request_id, source = m.source
      from messages m where m.id = spend.id and m.conversation_id = ${id} and m.cost_open = 1
        and spend.cost_usd is null`.execute(tx);
    await deleteChat(tx, id);
  });
  await sql`pragma secure_delete = off`.execute(db);
}

async function temporaryIds(db: Db, temporary = 1): Promise<string[]> {
  const rows = await db.selectFrom('conversations').select('id').where('temporary', '=', temporary).execute();
  return rows.map((row) => row.id);
}

export type ConversationStore = ReturnType<typeof conversationStore>;

function parseCursor(cursor: string | null): { updatedAt: number; id: string } | null {
  const match = /^(\d{1,15})\.(.+)$/.exec(cursor ?? '');
  return match ? { updatedAt: Number(match[1]), id: match[2] ?? '' } : null;
}
