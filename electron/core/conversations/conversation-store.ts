import { type Kysely, sql, type Transaction } from 'kysely';
import type { ScrollPosition } from '#shared/contract/chat/conversations.ts';
import { refusal } from '#shared/language/refusals.ts';
import { beingAdded, type ConversationRow, type Db, deleteChat, type Tables } from '../storage/database/db.ts';
import { insertMessages } from '../storage/database/insert-messages.ts';
import { rememberPath, wholeBranch } from './branch-store.ts';
import type { NewAnswer, NewQuestion } from './message-store.ts';

/** A transaction of the caller, so that a conversation and its messages are stored in one commit. */
type Tx = Transaction<Tables>;

interface NewConversation {
  readonly id: string;
  readonly title: string;
  readonly model: string;
  readonly temporary: boolean;
  readonly folderId: string | null;
}

/** Inserts a conversation without messages. */
export async function addConversation(
  tx: Tx,
  { temporary, folderId, ...conversation }: NewConversation,
  now: number,
): Promise<void> {
  // Null if the folder was deleted meanwhile.
  const folder_id = sql<string | null>`(select id from folders where id = ${folderId})`;
  const times = { created_at: now, updated_at: now };
  const row = { ...conversation, folder_id, active_leaf: null, temporary: temporary ? 1 : 0, ...times };
  await tx.insertInto('conversations').values(row).execute();
}

export async function addQuestion(
  tx: Tx,
  conversationId: string,
  parentId: string | null,
  question: NewQuestion,
  now: number,
) {
  await tx
    .insertInto('messages')
    .values({
      ...blank,
      id: question.id,
      conversation_id: conversationId,
      parent_id: parentId,
      role: 'user',
      text: question.text,
      attachments: JSON.stringify(question.attachments),
      status: 'done',
      created_at: now,
      finished_at: now,
    })
    .execute();
}

export async function mustBeThere(tx: Tx, id: string): Promise<void> {
  const row = await tx.selectFrom('messages').select('deletion').where('id', '=', id).executeTakeFirst();
  if (row?.deletion !== null) throw refusal('not_found', 'messageBeforeGone');
}

export async function addAnswer(
  tx: Tx,
  conversationId: string,
  parentId: string,
  answer: NewAnswer,
  now: number,
  continues: 0 | 1 = 0,
) {
  await insertAnswer(tx, conversationId, parentId, answer, now, continues);
  if (answer.aside) return;
  await tx
    .updateTable('conversations')
    .set({ active_leaf: answer.id, model: answer.model, updated_at: now })
    .where('id', '=', conversationId)
    .execute();
  await rememberPath(tx, answer.id);
}

async function insertAnswer(
  tx: Tx,
  conversationId: string,
  parentId: string,
  answer: NewAnswer,
  now: number,
  continues: 0 | 1,
) {
  await tx
    .insertInto('messages')
    .values({
      ...blank,
      id: answer.id,
      conversation_id: conversationId,
      parent_id: parentId,
      continues,
      role: 'assistant',
      text: '',
      status: 'streaming',
      model: answer.model,
      model_name: answer.modelName,
      simulated: answer.simulated ? 1 : 0,
      cost_open: 1,
      comparison: answer.comparison?.id ?? null,
      comparison_column: answer.comparison?.column ?? null,
      created_at: now,
    })
    .execute();
}

const blank = {
  seq: null,
  reasoning: '',
  model: null,
  served_provider: null,
  served_model: null,
  model_name: null,
  simulated: 0,
  finish_reason: null,
  usage: null,
  cost_usd: null,
  cost_source: 'unknown',
  cost_open: 0,
  route_reason: null,
  request_id: null,
  source: null,
  error: null,
  tool_calls: '[]',
  first_token_at: null,
  finished_at: null,
} as const;

export interface ListQuery {
  readonly limit: number;
  readonly cursor?: string | null | undefined;
  readonly view: 'active' | 'archived' | 'trash';
  readonly pinned?: boolean | null | undefined;
  /** `none` lists the conversations outside of folders. */
  readonly folderId?: string | null | undefined;
}

export interface Page {
  readonly rows: ConversationRow[];
  readonly nextCursor: string | null;
}

/** Stores conversations. A change of a conversation and its messages is one commit. */
export function conversationStore(db: Db) {
  return {
    find: (id: string): Promise<ConversationRow | undefined> =>
      db.selectFrom('conversations').selectAll().where('id', '=', id).executeTakeFirst(),

    /** Returns the last message of the shown branch, or null if there is none. */
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

    /** Returns a page, newest first. The cursor is the time and the id of the previous page's last conversation. */
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

    /** Returns the tags of each conversation. */
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

    /** Returns false if nothing changed. */
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

    /** Empties SQLite's write-ahead log, where deleted text could still be read. */
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

    /** Adds the user’s message and its answer below another message, and shows them. */
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

    /** Adds a continuation as a child of the answer. It's a message of its own, so each request has its own cost. */
    async goOn(conversationId: string, answerId: string, answer: NewAnswer, now: number) {
      await db.transaction().execute(async (tx) => {
        await mustBeThere(tx, answerId);
        await addAnswer(tx, conversationId, answerId, answer, now, 1);
      });
    },

    /**
     * Adds the next request of an answer with tool calls. The user did nothing, so the shown branch and the chosen
     * model stay.
     */
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

/**
 * Deletes a conversation for good and overwrites its text. An unknown cost can still be found later, because the name
 * of its request is kept.
 */
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

export interface Fork {
  /** The last message that is copied. */
  readonly messageId: string;
  readonly id: string;
  readonly now: number;
  readonly newId: () => string;
}

/**
 * Copies the branch that ends at a message into a new conversation with the same settings, title, folder and tags. The
 * copied answers show their costs, but only the original conversation counts them in its total.
 */
export function forkConversation(db: Db, { messageId, id, now, newId }: Fork): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const branch = await wholeBranch(tx, messageId);
    const last = branch.at(-1);
    if (!last || last.deletion !== null) throw refusal('not_found', 'messageGone');
    if (branch.some(({ status }) => status === 'streaming')) throw refusal('answer_in_progress', 'answerBusy');
    const from = last.conversation_id;
    const ids = new Map(branch.map((row) => [row.id, newId()]));
    const conversation = await tx
      .selectFrom('conversations')
      .selectAll()
      .where('id', '=', from)
      .executeTakeFirstOrThrow();
    const { title, model, folder_id, temporary } = conversation;
    const lastAnswer = branch.findLast(({ role }) => role === 'assistant');
    // A fork of a comparison column continues with the column’s model.
    const column = lastAnswer?.comparison == null ? null : lastAnswer.model;
    const copy = { id, title, model: column ?? model, folder_id, temporary, created_at: now, updated_at: now };
    await tx
      .insertInto('conversations')
      .values({ ...copy, active_leaf: ids.get(messageId) ?? null })
      .execute();
    await insertMessages(tx, branch, ({ sibling_index: _, sibling_count: __, ...row }, index) => ({
      ...row,
      seq: null,
      id: ids.get(row.id) ?? row.id,
      conversation_id: id,
      parent_id: ids.get(row.parent_id ?? '') ?? null,
      shown_child: ids.get(branch[index + 1]?.id ?? '') ?? null,
      // Missing costs are looked up only for the original conversation.
      cost_open: 0,
      client_request_id: null,
      comparison: null,
      comparison_column: null,
      comparing: null,
    }));
    await copySettings(tx, from, id);
    await copySummaries(tx, from, id, ids, newId);
  });
}

async function copySettings(tx: Kysely<Tables>, from: string, to: string): Promise<void> {
  await sql`insert into conversation_tags (conversation_id, tag)
    select ${to}, tag from conversation_tags where conversation_id = ${from}`.execute(tx);
  await sql`insert into chat_options (chat, value) select ${to}, value from chat_options where chat = ${from}`.execute(
    tx,
  );
}

async function copySummaries(
  tx: Kysely<Tables>,
  from: string,
  to: string,
  ids: ReadonlyMap<string, string>,
  newId: () => string,
): Promise<void> {
  const rows = await tx.selectFrom('summaries').selectAll().where('conversation_id', '=', from).execute();
  for (const row of rows) {
    const through = ids.get(row.through_id);
    if (through === undefined) continue;
    await tx
      .insertInto('summaries')
      .values({ ...row, id: newId(), conversation_id: to, through_id: through })
      .execute();
  }
}
