import { type Insertable, sql } from 'kysely';
import type { ExportedConversation, ExportedMessage } from '#shared/contract/chat/exported-conversation.ts';
import type { Db, MessageTable } from '../db/db.ts';
import { keptSource, toMessage } from '../db/message-row.ts';

/** Reads and adds whole conversations. */
export function transferStore(db: Db) {
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

    /** The ones that exist already. */
    async known(sourceIds: readonly string[]): Promise<Set<string>> {
      const found = new Set<string>();
      for (let at = 0; at < sourceIds.length; at += 400) {
        const some = sourceIds.slice(at, at + 400);
        const own = some.map((source) => source.replace(/^portico:/, ''));
        const { rows } = await sql<{ source: string }>`
          select import_source as source from conversations where import_source in (${sql.join(some)})
          union select 'portico:' || id from conversations where id in (${sql.join(own)})`.execute(db);
        for (const row of rows) found.add(row.source);
      }
      return found;
    },

    /** Adds one conversation in one commit. Ids that exist get new ones. */
    add: (
      conversation: ExportedConversation,
      sourceId: string | null,
      deps: { newId: () => string; now: number },
    ): Promise<void> =>
      db.transaction().execute(async (tx) => {
        const taken = new Set<string>();
        for (let at = 0; at < conversation.messages.length; at += 400) {
          const some = conversation.messages.slice(at, at + 400).map((each) => each.id);
          const rows = await tx.selectFrom('messages').select('id').where('id', 'in', some).execute();
          for (const row of rows) taken.add(row.id);
        }
        const renamed = new Map([...taken].map((id) => [id, deps.newId()]));
        const idOf = (id: string | null) => (id === null ? null : (renamed.get(id) ?? id));
        const folderId = conversation.folder === null ? null : await folderNamed(conversation.folder);
        await tx
          .insertInto('conversations')
          .values({
            id: conversation.id,
            title: conversation.title,
            model: conversation.model,
            active_leaf: idOf(conversation.activeLeaf),
            created_at: conversation.createdAt,
            updated_at: conversation.updatedAt,
            folder_id: folderId,
            pinned: conversation.pinned ? 1 : 0,
            import_source: sourceId,
          })
          .execute();
        for (const message of conversation.messages) {
          await tx
            .insertInto('messages')
            .values(columns(conversation.id, message, idOf))
            .execute();
        }
        for (const tag of new Set(conversation.tags)) {
          await tx
            .insertInto('conversation_tags')
            .values({ conversation_id: conversation.id, tag })
            .onConflict((conflict) => conflict.doNothing())
            .execute();
        }
        await sql`with recursive path (id, parent_id) as (
            select id, parent_id from messages where id = ${idOf(conversation.activeLeaf)}
            union all
            select m.id, m.parent_id from messages m join path p on m.id = p.parent_id
          )
          update messages set shown_child = path.id from path where messages.id = path.parent_id`.execute(tx);
        // After its messages, because a new message takes a chat out of the archive.
        await tx
          .updateTable('conversations')
          .set({ archived_at: conversation.archivedAt })
          .where('id', '=', conversation.id)
          .execute();

        async function folderNamed(name: string): Promise<string> {
          const known = await tx.selectFrom('folders').select('id').where('name', '=', name).executeTakeFirst();
          if (known) return known.id;
          const id = deps.newId();
          await tx.insertInto('folders').values({ id, name, created_at: deps.now }).execute();
          return id;
        }
      }),
  };
}

export type TransferStore = ReturnType<typeof transferStore>;

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));

function columns(
  conversationId: string,
  message: ExportedMessage,
  idOf: (id: string | null) => string | null,
): Insertable<MessageTable> {
  return {
    seq: null,
    id: idOf(message.id) ?? message.id,
    conversation_id: conversationId,
    parent_id: idOf(message.parentId),
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
