import type { Insertable } from 'kysely';
import type { RequestUse } from '#shared/contract/app/billing-accounts.ts';
import type { ConversationTotal } from '#shared/contract/common/bills.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { ComposerTables } from '../../storage/database/composer-tables.ts';
import type { Db } from '../../storage/database/db.ts';

type Row = Awaited<ReturnType<SpendStore['rows']>>[number];

/** Adds up the costs of requests. A request without a cost counts as unknown, never as $0. */
export function getTotal(
  rows: readonly Pick<Row, 'purpose' | 'simulated' | 'cost_usd' | 'cost_source'>[],
): ConversationTotal {
  const sum = (of: typeof rows) => usd(of.reduce((total, { cost_usd }) => total + parseUsd(cost_usd ?? '0'), 0n));
  const isTest = (row: (typeof rows)[number]) => row.simulated === 1;
  const known = rows.filter((row) => row.cost_usd !== null);
  const groups = Map.groupBy(
    rows.filter((row) => row.purpose !== 'chat'),
    (row) => `${row.purpose} ${row.simulated}`,
  );
  return {
    usd: sum(known.filter((row) => !isTest(row))),
    testCreditsUsd: sum(known.filter(isTest)),
    requests: rows.length,
    testRequests: rows.filter(isTest).length,
    unknown: rows.length - known.length,
    notBilled: known.filter((row) => row.cost_source !== 'billed').length,
    auxiliary: [...groups.values()].map((group) => ({
      purpose: group[0]?.purpose ?? '',
      requests: group.length,
      usd: sum(group),
      testCredits: group[0] ? isTest(group[0]) : false,
    })),
  };
}

const usd = (amount: bigint) => formatUsd(nanoUsd(amount));

/** Stores the costs of requests, also those of deleted messages. Sums are in nano-USD and leave out test credits. */
export function spendStore(db: Db) {
  const paid = () =>
    db
      .selectFrom('spend')
      .select('spend.cost_usd')
      .where('spend.simulated', '=', 0)
      .where('spend.cost_usd', 'is not', null);
  const sum = (rows: readonly { cost_usd: string | null }[]): bigint =>
    rows.reduce((total, { cost_usd }) => total + parseUsd(cost_usd ?? '0'), 0n);

  return {
    /** Returns the spend since a time, of all accounts or of all but one. */
    async since(time: number, exceptOf: string | null = null): Promise<bigint> {
      const rows = paid().where('at', '>=', time);
      // A row without an account belongs to a deleted message, and the excluded account's ledger has its cost.
      return sum(await (exceptOf === null ? rows : rows.where('source', '!=', exceptOf)).execute());
    },

    /** Returns how many requests since a time have an unknown cost. */
    async unknownSince(time: number, except: string | null = null): Promise<number> {
      const rows = db
        .selectFrom('spend')
        .select(({ fn }) => fn.countAll<number>().as('requests'))
        .where('simulated', '=', 0)
        .where('cost_usd', 'is', null)
        .where('at', '>=', time);
      const counted = except === null ? rows : rows.where('source', '!=', except);
      return (await counted.executeTakeFirstOrThrow()).requests;
    },

    /** Returns the spend since a time by model, for messages that still exist. */
    async sinceByModel(time: number, exceptOf: string | null): Promise<Map<string, bigint>> {
      const rows = await paid()
        .innerJoin('messages', 'messages.id', 'spend.id')
        .select(['messages.served_provider', 'messages.served_model'])
        .where('spend.at', '>=', time)
        .$if(exceptOf !== null, (rest) => rest.where('spend.source', '!=', exceptOf))
        .execute();
      const costs = new Map<string, bigint>();
      for (const { served_provider, served_model, cost_usd } of rows) {
        const id = `${served_provider}/${served_model}`;
        costs.set(id, (costs.get(id) ?? 0n) + parseUsd(cost_usd ?? '0'));
      }
      return costs;
    },

    ofConversation: async (id: string): Promise<bigint> =>
      sum(await paid().where('conversation_id', '=', id).execute()),

    /**
     * Returns for each of these answers whether it still runs or waits for its cost. Answers that aren't stored yet are
     * missing.
     */
    async open(ids: readonly string[]): Promise<Map<string, boolean>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('messages')
        .select(['id', 'status', 'cost_open'])
        .where('id', 'in', ids)
        .execute();
      return new Map(rows.map((row) => [row.id, row.status === 'streaming' || row.cost_open === 1]));
    },

    find: async (id: string) =>
      (await db.selectFrom('spend').selectAll().where('id', '=', id).executeTakeFirst()) ?? null,

    findByRequest: async (requestId: string) =>
      (await db.selectFrom('spend').selectAll().where('request_id', '=', requestId).executeTakeFirst()) ?? null,

    rows: (conversationId: string) =>
      db
        .selectFrom('spend')
        .select(['id', 'purpose', 'simulated', 'cost_usd', 'cost_source', 'request_id'])
        .where('conversation_id', '=', conversationId)
        .execute(),

    /**
     * Returns the answers of an imported chat with their costs, which were paid in the other app. Spending limits and
     * usage leave them out.
     */
    async imported(conversationId: string) {
      const chat = await db
        .selectFrom('conversations')
        .select('import_source')
        .where('id', '=', conversationId)
        .executeTakeFirst();
      if (!chat?.import_source) return [];
      const rows = await db
        .selectFrom('messages')
        .select(['messages.id', 'simulated', 'cost_usd', 'cost_source', 'request_id'])
        .where('conversation_id', '=', conversationId)
        .where('cost_usd', 'is not', null)
        .where('deletion', 'is', null)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('spend').select('spend.id').whereRef('spend.id', '=', 'messages.id'))),
        )
        .execute();
      return rows.map((row) => ({ ...row, purpose: 'chat' as const }));
    },

    /** Returns the purpose and the chat of these requests, for chats of this app that still exist. */
    async getUses(requestIds: readonly string[]): Promise<Map<string, RequestUse>> {
      if (requestIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('spend')
        .innerJoin('conversations', 'conversations.id', 'spend.conversation_id')
        .leftJoin('messages', (join) => join.onRef('messages.id', '=', 'spend.id').on('messages.deletion', 'is', null))
        .select(['spend.request_id', 'spend.purpose', 'spend.conversation_id', 'conversations.title'])
        .select('messages.id as message_id')
        .where('spend.request_id', 'in', requestIds)
        .where('conversations.trashed_at', 'is', null)
        .execute();
      return new Map(
        rows.map((row) => [
          row.request_id ?? '',
          {
            conversationId: row.conversation_id,
            title: row.title,
            messageId: row.message_id,
            purpose: row.purpose,
          },
        ]),
      );
    },

    /** Returns requests other than answers whose cost was never stored, because their process ended. */
    openRequests: () =>
      db
        .selectFrom('spend')
        .selectAll()
        .where('cost_usd', 'is', null)
        .where('client_request_id', 'is not', null)
        .execute(),

    /** Marks a cost as unknown for good. */
    async giveUp(id: string): Promise<void> {
      await db.updateTable('spend').set({ client_request_id: null }).where('id', '=', id).execute();
    },

    /** Stores a request other than an answer: before it is sent, and again when its cost is known. */
    async add(row: Insertable<ComposerTables['spend']>): Promise<void> {
      await db
        .insertInto('spend')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet({ cost_usd: row.cost_usd, cost_source: row.cost_source, request_id: row.request_id }),
        )
        .execute();
    },
  };
}

export type SpendStore = ReturnType<typeof spendStore>;
