import type { Summary } from '#shared/contract/chat/context.ts';
import type { Db, Tables } from '../../storage/database/db.ts';
import { keptSource } from '../../storage/database/message-row.ts';

/** Stores summaries. Each covers the beginning of a branch. */
export function summaryStore(db: Db) {
  return {
    /** Returns the summary that covers the most of this branch, or null. */
    async of(conversationId: string, branchIds: readonly string[]): Promise<Summary | null> {
      const rows = await db
        .selectFrom('summaries')
        .selectAll()
        .where('conversation_id', '=', conversationId)
        .orderBy('created_at', 'desc')
        .execute();
      if (rows.length === 0) return null;
      const position = new Map(branchIds.map((id, index) => [id, index]));
      const [deepest] = rows
        .filter((row) => position.has(row.through_id))
        .sort((a, b) => (position.get(b.through_id) ?? 0) - (position.get(a.through_id) ?? 0));
      return deepest ? toSummary(deepest) : null;
    },
    async add(conversationId: string, summary: Summary): Promise<void> {
      const { id, throughId, messages, text, model, simulated, costUsd, costSource, bill, createdAt } = summary;
      await db
        .insertInto('summaries')
        .values({
          id,
          conversation_id: conversationId,
          through_id: throughId,
          messages,
          text,
          model,
          simulated: simulated ? 1 : 0,
          cost_usd: costUsd,
          cost_source: keptSource(costSource),
          created_at: createdAt,
          bill: bill && JSON.stringify(bill),
        })
        .execute();
    },
    async remove(conversationId: string): Promise<void> {
      await db.deleteFrom('summaries').where('conversation_id', '=', conversationId).execute();
    },
  };
}

export type SummaryStore = ReturnType<typeof summaryStore>;

const toSummary = (row: Tables['summaries']): Summary => ({
  id: row.id,
  throughId: row.through_id,
  messages: row.messages,
  text: row.text,
  model: row.model,
  simulated: row.simulated === 1,
  costUsd: row.cost_usd,
  costSource: row.cost_source,
  bill: row.bill === null ? null : JSON.parse(row.bill),
  createdAt: row.created_at,
});
