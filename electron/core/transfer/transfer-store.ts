import { setImmediate } from 'node:timers/promises';
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { ExportedConversation, ExportedMessage } from '#shared/contract/chat/exported-conversation.ts';
import { beingAdded, type Db, deleteChat, type MessageTable, type Tables } from '../storage/database/db.ts';
import { inBatches } from '../storage/database/in-batches.ts';
import { insertMessages } from '../storage/database/insert-messages.ts';
import { isParent, keptSource, toMessage } from '../storage/database/message-row.ts';

type IdOf = (id: string | null) => string | null;

/**
 * Adds messages, parents before children. Messages whose id exists already get a new one. Returns a function that maps
 * an exported id to the one used here.
 */
async function addMessages(
  tx: Kysely<Tables>,
  conversationId: string,
  messages: readonly ExportedMessage[],
  newId: () => string,
): Promise<IdOf> {
  const getId = await freeIds(tx, messages, newId);
  await insertMessages(tx, messages, (message) => columns(conversationId, message, getId));
  return getId;
}

/** Each commit waits for the disk. This many messages take some tenths of a second. */
const messagesInCommit = 1_000;

/** Adds messages in many commits, so other work can run in between. */
async function addMessagesInParts(
  db: Db,
  conversationId: string,
  messages: readonly ExportedMessage[],
  newId: () => string,
): Promise<IdOf> {
  const getId = await freeIds(db, messages, newId);
  for await (const some of inBatches(messages, messagesInCommit)) {
    await db
      .transaction()
      .execute((tx) => insertMessages(tx, some, (message) => columns(conversationId, message, getId)));
  }
  return getId;
}

async function freeIds(tx: Kysely<Tables>, messages: readonly ExportedMessage[], newId: () => string): Promise<IdOf> {
  const taken = new Set<string>();
  for await (const some of inBatches(messages, 400)) {
    const ids = some.map((message) => message.id);
    const rows = await tx.selectFrom('messages').select('id').where('id', 'in', ids).execute();
    for (const row of rows) taken.add(row.id);
  }
  const renamed = new Map([...taken].map((id) => [id, newId()]));
  return (id) => (id === null ? null : (renamed.get(id) ?? id));
}

/** Steps per statement, because a branch may have as many messages as its chat. */
const stepsAtOnce = 4_000;

/** Makes every message above this one show the child that leads to it. */
async function showBranch(tx: Kysely<Tables>, leaf: string | null): Promise<void> {
  const path = (id: string) => sql`with recursive up (id, parent_id, seq, conversation_id, step) as (
      select id, parent_id, seq, conversation_id, 1 from messages where id = ${id}
      union all
      select m.id, m.parent_id, m.seq, m.conversation_id, step + 1 from messages m join up on ${isParent}
      where step < ${stepsAtOnce}
    )`;
  for (let from = leaf; from !== null; await setImmediate()) {
    await sql`${path(from)} update messages set shown_child = up.id from up where messages.id = up.parent_id`.execute(
      tx,
    );
    const above = sql<{
      id: string;
    }>`${path(from)} select id from up where step = ${stepsAtOnce}`;
    from = (await above.execute(tx)).rows[0]?.id ?? null;
  }
}

/** Returns when the last of its messages was written. */
const getLast = ({ messages }: ExportedConversation): number =>
  messages.reduce((last, { createdAt }) => Math.max(last, createdAt), 0);

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));

function columns(
  conversationId: string,
  message: ExportedMessage,
  getId: (id: string | null) => string | null,
): Insertable<MessageTable> {
  return {
    seq: null,
    id: getId(message.id) ?? message.id,
    conversation_id: conversationId,
    parent_id: getId(message.parentId),
    role: message.role,
    text: message.text,
    reasoning: message.reasoning,
    // An answer that was running during the export will not continue.
    status: message.status === 'streaming' ? 'interrupted' : message.status,
    model: message.model,
    served_provider: message.servedProvider,
    served_model: message.servedModel,
    model_name: message.modelName,
    simulated: message.simulated ? 1 : 0,
    finish_reason: message.finishReason,
    attachments: JSON.stringify(message.attachments),
    bill: json(message.bill),
    usage: json(message.usage),
    cost_usd: message.costUsd,
    cost_source: keptSource(message.costSource),
    cost_open: 0,
    route_reason: message.routeReason,
    request_id: message.requestId,
    source: message.source,
    error: json(message.error),
    tool_calls: JSON.stringify(message.toolCalls),
    citations: JSON.stringify(message.citations ?? []),
    created_at: message.createdAt,
    first_token_at: message.firstTokenAt,
    thought_ms: message.thoughtMs,
    finished_at: message.finishedAt,
    continues: message.continues ? 1 : 0,
    comparison: message.comparison?.id ?? null,
    comparison_column: message.comparison?.column ?? null,
    comparing: message.comparing,
  };
}

/** Rows per statement, so other work can run in between. */
const rowsAtOnce = 1_000;

/** A chat into which an export was imported before, or from which it was made. */
interface KnownChat {
  readonly id: string;
  readonly trashed_at: number | null;
  readonly imported_until: number | null;
}

interface Growth {
  /** The new messages, each with a parent that exists here. */
  readonly added: readonly ExportedMessage[];
  /**
   * Maps each exported message to its counterpart here, or to the counterpart of the nearest message above it that was
   * not removed.
   */
  readonly places: ReadonlyMap<string, string | null>;
  /** Something was written here that the export doesn't contain. */
  readonly wasContinuedHere: boolean;
}

/**
 * Finds the messages of an exported conversation that are newer than everything imported before. Portico's messages are
 * recognised by id, those of other programs by role, time and text. A message that is neither here nor newer was
 * removed here.
 */
async function getGrowth(db: Kysely<Tables>, chat: KnownChat, exported: ExportedConversation): Promise<Growth> {
  const places = new Map<string, string | null>();
  if (chat.trashed_at !== null) return { added: [], places, wasContinuedHere: false };
  const rows = await toRows(db, chat.id);
  const byId = new Map<string, Row>();
  const byWords = new Map<string, Row[]>();
  for await (const some of inBatches(rows)) {
    for (const row of some) {
      byId.set(row.id, row);
      const alike = byWords.get(getKey(row));
      if (alike) alike.push(row);
      else byWords.set(getKey(row), [row]);
    }
  }
  const matched = new Map<string, Row | undefined>();
  for await (const some of inBatches(exported.messages)) {
    for (const message of some) matched.set(message.id, byId.get(message.id) ?? byWords.get(getKey(message))?.shift());
  }
  const known = new Set(matched.values());
  const until =
    chat.imported_until ?? rows.reduce((last, row) => (known.has(row) ? Math.max(last, row.createdAt) : last), 0);
  const added: ExportedMessage[] = [];
  for (const message of exported.messages) {
    const parentId = message.parentId === null ? null : (places.get(message.parentId) ?? null);
    const row = matched.get(message.id);
    // A message without a timestamp has the time of its chat.
    const mayBeNew = message.createdAt > until || message.createdAt === exported.createdAt;
    const isNew = row === undefined && mayBeNew;
    if (isNew) added.push({ ...message, parentId });
    places.set(message.id, isNew || row?.deletion === null ? (row?.id ?? message.id) : parentId);
  }
  const living = rows.filter(({ deletion }) => deletion === null);
  return { added, places, wasContinuedHere: living.some((row) => !known.has(row)) };
}

const getKey = ({ role, createdAt, text }: Pick<ExportedMessage, 'role' | 'createdAt' | 'text'>) =>
  `${role} ${createdAt} ${text}`;

type Row = Pick<Selectable<MessageTable>, 'id' | 'seq' | 'role' | 'text' | 'deletion'> & { readonly createdAt: number };

async function toRows(db: Kysely<Tables>, chatId: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let [after, isEnd] = [0, false]; !isEnd; await setImmediate()) {
    const some = await db
      .selectFrom('messages')
      .select(['id', 'seq', 'role', 'text', 'created_at as createdAt', 'deletion'])
      .where('conversation_id', '=', chatId)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(rowsAtOnce)
      .execute();
    for (const row of some) rows.push(row);
    after = some.at(-1)?.seq ?? after;
    isEnd = some.length < rowsAtOnce;
  }
  return rows;
}

/** Adds the new messages in one commit and shows the exported branch, unless the chat was continued here. */
async function growChat(
  tx: Kysely<Tables>,
  chat: KnownChat,
  exported: ExportedConversation,
  newId: () => string,
): Promise<number> {
  const { added, places, wasContinuedHere } = await getGrowth(tx, chat, exported);
  if (added.length === 0) return 0;
  const getId = await addMessages(tx, chat.id, added, newId);
  const leaf = wasContinuedHere ? null : getId(places.get(exported.activeLeaf ?? '') ?? null);
  if (leaf !== null) {
    await tx.updateTable('conversations').set({ active_leaf: leaf }).where('id', '=', chat.id).execute();
    await showBranch(tx, leaf);
  }
  await tx
    .updateTable('conversations')
    .set({
      updated_at: sql`max(updated_at, ${exported.updatedAt})`,
      imported_until: sql`max(coalesce(imported_until, 0), ${getLast(exported)})`,
    })
    .where('id', '=', chat.id)
    .execute();
  return added.length;
}

/** Reads and adds complete conversations. */
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
        // Removed messages can be restored here but aren't exported.
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
        tags: tags.map(({ tag }) => tag),
        pinned: row.pinned === 1,
        archivedAt: row.archived_at,
        messages: messages.map((stored) => {
          const {
            conversationId: _,
            sibling: __,
            ...message
          } = toMessage({ ...stored, sibling_index: 1, sibling_count: 1 });
          return { ...message, source: stored.source };
        }),
      };
    },

    /**
     * Returns a function that lists the messages of a chat that are missing here. It returns null for a chat that is
     * new itself. It is meant for checking many chats.
     */
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

    /** Adds the missing messages to the existing chat. Returns the chat and how many were added. */
    async grow(sourceId: string, conversation: ExportedConversation, newId: () => string) {
      const here = await known(sourceId, db);
      // Most chats have not grown. Comparing a long one takes seconds, and other calls would have to wait if that
      // happened in a transaction.
      if (here && (await getGrowth(db, here, conversation)).added.length === 0) return { id: here.id, messages: 0 };
      return db.transaction().execute(async (tx) => {
        const chat = await known(sourceId, tx);
        return chat && { id: chat.id, messages: await growChat(tx, chat, conversation, newId) };
      });
    },

    /**
     * Adds one conversation, which stays invisible until it is complete. Messages whose id exists already get a new
     * one. A long conversation is added in many commits, because other calls would have to wait seconds for a single
     * one.
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
        // If this fails too, for example on a full disk, the next start does it.
        await deleteChat(db, id).catch(() => {});
        throw error;
      }
    },
  };
}

export type TransferStore = ReturnType<typeof transferStore>;

/** Thousands of messages take some tenths of a second. */
const maxInOneCommit = 2_000;

const beginChat = (tx: Kysely<Tables>, { id, title, model, createdAt, updatedAt }: ExportedConversation) =>
  tx
    .insertInto('conversations')
    .values({ id, title, model, created_at: createdAt, updated_at: updatedAt, temporary: beingAdded })
    .execute();

/** Called after the messages are added, because a new message takes a chat out of the archive. */
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
