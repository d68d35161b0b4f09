import { sql } from 'kysely';
import type { Attachment } from '#shared/contract/attachments.ts';
import type { Message } from '#shared/contract/conversations.ts';
import type { Db } from '../db.ts';
import { type AnswerPatch, type MessageRow, type NumberedRow, toColumns, toMessage } from '../message-row.ts';

export interface NewQuestion {
  readonly id: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
}
export interface NewAnswer {
  readonly id: string;
  readonly model: string;
  readonly modelName: string | null;
  readonly simulated: boolean;
}

/** Messages: a tree per conversation, by `parent_id`; siblings are ordered by arrival. */
export function messageStore(db: Db) {
  return {
    async find(id: string): Promise<Message | null> {
      const row = await db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toMessage(await numbered(db, row)) : null;
    },

    async firstAnswerTo(questionId: string): Promise<string | null> {
      const row = await db
        .selectFrom('messages')
        .select('id')
        .where('parent_id', '=', questionId)
        .where('role', '=', 'assistant')
        .orderBy('seq')
        .executeTakeFirst();
      return row?.id ?? null;
    },

    /** The messages from the root to this leaf, oldest first. */
    async branch(conversationId: string, leafId: string | null): Promise<Message[]> {
      if (leafId === null) return [];
      const { rows } = await sql<NumberedRow>`
        with recursive branch (id, parent_id, depth) as (
          select id, parent_id, 0 from messages where id = ${leafId} and conversation_id = ${conversationId}
          union all
          select m.id, m.parent_id, depth + 1 from messages m join branch b on m.id = b.parent_id
        ), numbered as (
          select id, row_number() over siblings as sibling_index,
            count(*) over (partition by parent_id) as sibling_count
          from messages where conversation_id = ${conversationId}
          window siblings as (partition by parent_id order by seq)
        )
        select m.*, n.sibling_index, n.sibling_count
        from branch b join messages m on m.id = b.id join numbered n on n.id = b.id
        order by b.depth desc`.execute(db);
      return rows.map(toMessage);
    },

    /** Saves what an answer holds now: one commit. */
    async update(id: string, patch: AnswerPatch): Promise<void> {
      await db.updateTable('messages').set(toColumns(patch)).where('id', '=', id).execute();
    },

    /** Answers that a former run left in the middle become `interrupted`; returns how many there were. */
    async interruptStreaming(now: number): Promise<number> {
      const result = await db
        .updateTable('messages')
        .set({ status: 'interrupted', finished_at: now })
        .where('status', '=', 'streaming')
        .executeTakeFirst();
      return Number(result.numUpdatedRows);
    },

    /** Ended answers whose cost the gateway has not told yet. */
    async costOpen(): Promise<MessageRow[]> {
      return db
        .selectFrom('messages')
        .selectAll()
        .where('cost_open', '=', 1)
        .where('status', '!=', 'streaming')
        .orderBy('seq')
        .execute();
    },
  };
}

export type MessageStore = ReturnType<typeof messageStore>;

async function numbered(db: Db, row: MessageRow): Promise<NumberedRow> {
  const siblings = await db
    .selectFrom('messages')
    .select('id')
    .where('conversation_id', '=', row.conversation_id)
    .where('parent_id', row.parent_id === null ? 'is' : '=', row.parent_id)
    .orderBy('seq')
    .execute();
  const index = siblings.findIndex((sibling) => sibling.id === row.id) + 1;
  return { ...row, sibling_index: index, sibling_count: siblings.length };
}
