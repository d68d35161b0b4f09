import type { Selectable } from 'kysely';
import type { NewQueuedMessage, QueuedMessage } from '#shared/contract/chat/queue.ts';
import type { ProblemText } from '#shared/errors.ts';
import type { ComposerTables } from '../../storage/database/composer-tables.ts';
import type { Db } from '../../storage/database/db.ts';
import { storedAttachments } from '../../storage/database/stored-attachments.ts';

/** Queued messages in order. */
export function queueStore(db: Db) {
  return {
    async list(conversationId: string): Promise<QueuedMessage[]> {
      const rows = await db
        .selectFrom('queued_messages')
        .selectAll()
        .where('conversation_id', '=', conversationId)
        .orderBy('seq')
        .execute();
      return rows.map(toQueued);
    },
    async add({ id, conversationId, text, attachments, model, compare }: NewQueuedMessage): Promise<void> {
      await db
        .insertInto('queued_messages')
        .values({
          seq: null,
          id,
          conversation_id: conversationId,
          text,
          model,
          problem: null,
          attachments: JSON.stringify(attachments),
          compare: JSON.stringify(compare),
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    },
    /** Whether the message exists already: it was sent just before the app ended. */
    async isSent(id: string): Promise<boolean> {
      return (await db.selectFrom('messages').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
    },
    async change(id: string, { problem, ...change }: { text?: string; problem: ProblemText | null }): Promise<void> {
      const columns = { ...change, problem: problem && JSON.stringify(problem) };
      await db.updateTable('queued_messages').set(columns).where('id', '=', id).execute();
    },
    async remove(id: string): Promise<void> {
      await db.deleteFrom('queued_messages').where('id', '=', id).execute();
    },
  };
}

export type QueueStore = ReturnType<typeof queueStore>;

const toQueued = (row: Omit<Selectable<ComposerTables['queued_messages']>, 'seq'>): QueuedMessage => ({
  id: row.id,
  conversationId: row.conversation_id,
  text: row.text,
  attachments: storedAttachments(row.attachments),
  model: row.model,
  compare: JSON.parse(row.compare),
  problem: row.problem === null ? null : JSON.parse(row.problem),
});
