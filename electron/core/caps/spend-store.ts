import { parseUsd } from '#shared/money.ts';
import type { ComposerTables } from '../composer-tables.ts';
import type { Db } from '../db.ts';

/** What requests cost, whether their messages are still there or not. Amounts in nano-USD, without test credits. */
export function spendStore(db: Db) {
  const paid = () =>
    db.selectFrom('spend').select('cost_usd').where('simulated', '=', 0).where('cost_usd', 'is not', null);
  const sum = (rows: readonly { cost_usd: string | null }[]): bigint =>
    rows.reduce((total, { cost_usd }) => total + parseUsd(cost_usd ?? '0'), 0n);

  return {
    since: async (time: number): Promise<bigint> => sum(await paid().where('at', '>=', time).execute()),

    ofConversation: async (id: string): Promise<bigint> =>
      sum(await paid().where('conversation_id', '=', id).execute()),

    /** Which of these answers run or wait for their cost; one that is not stored yet is not in it. */
    async open(ids: readonly string[]): Promise<Map<string, boolean>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('messages')
        .select(['id', 'status', 'cost_open'])
        .where('id', 'in', ids)
        .execute();
      return new Map(rows.map((row) => [row.id, row.status === 'streaming' || row.cost_open === 1]));
    },

    rows: (conversationId: string) =>
      db
        .selectFrom('spend')
        .select(['id', 'purpose', 'simulated', 'cost_usd', 'cost_source', 'request_id'])
        .where('conversation_id', '=', conversationId)
        .execute(),

    /** A request that is no answer: its cost is known, or will never be. */
    async add(row: ComposerTables['spend']): Promise<void> {
      await db
        .insertInto('spend')
        .values(row)
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet({ cost_usd: row.cost_usd, cost_source: row.cost_source }),
        )
        .execute();
    },
  };
}

export type SpendStore = ReturnType<typeof spendStore>;
