import { type Context, Hono } from 'hono';
import { sql } from 'kysely';
import { z } from 'zod';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { type Credits, type CreditTransaction, transactionType } from '#shared/wire/credits.ts';
import type { AppEnv } from '../../http/context.ts';
import { endTime, listFields, readQuery, startTime } from '../../http/query.ts';
import { accountRow, getBalance } from '../../ledger/records/account-store.ts';
import { getPage, getSlice, type PageRequest, unknownCursor } from '../../storage/cursor.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import type { LedgerEntryRow } from '../../storage/schema.ts';

interface CreditsQuery extends PageRequest {
  readonly type?: LedgerEntryRow['type'] | undefined;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

/**
 * Returns the balance and the transactions of an account (wire contract §2.4), in the order in which they changed the
 * balance.
 */
export async function readCredits(db: GatewayDb, accountId: string, query: CreditsQuery): Promise<Credits> {
  const row = await accountRow(db, accountId);
  const { amount, ...balance } = getBalance(row);
  return { object: 'credits', ...balance, balance: amount, transactions: await transactions(db, accountId, query) };
}

async function transactions(db: GatewayDb, accountId: string, query: CreditsQuery) {
  const slice = getSlice(query);
  const cursor = slice.cursor === undefined ? null : await cursorSeq(db, accountId, slice.cursor);
  if (cursor === undefined) throw unknownCursor(query);
  const rows = await db
    .selectFrom('ledger_entries')
    .selectAll()
    .where('account_id', '=', accountId)
    .$if(cursor !== null, (rest) => rest.where('seq', slice.comparison, cursor ?? 0n))
    .$if(query.type !== undefined, (rest) => rest.where('type', '=', query.type ?? 'grant'))
    // This repeats the condition of the partial index. With a bound value the database can't see that the index
    // applies.
    .$if(query.type !== undefined && query.type !== 'usage', (rest) => rest.where(sql<boolean>`type <> 'usage'`))
    .$if(query.start !== undefined, (rest) => rest.where('created', '>=', BigInt(query.start ?? 0)))
    .$if(query.end !== undefined, (rest) => rest.where('created', '<', BigInt(query.end ?? 0)))
    .orderBy('seq', slice.direction)
    .limit(slice.take)
    .execute();
  return getPage(query, rows, toTransaction);
}

const cursorSeq = async (db: GatewayDb, accountId: string, id: string): Promise<bigint | undefined> =>
  (
    await db
      .selectFrom('ledger_entries')
      .select('seq')
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .executeTakeFirst()
  )?.seq;

const toTransaction = (row: LedgerEntryRow): CreditTransaction => ({
  id: row.id,
  object: 'credit_transaction',
  type: row.type,
  amount: formatUsd(nanoUsd(row.amount)),
  balance_after: formatUsd(nanoUsd(row.balance_after)),
  currency: 'USD',
  created: Number(row.created / 1000n),
  description: row.description,
  request_id: row.request_id,
  provider: row.provider,
  model: row.model,
  estimated: row.estimated === 1n,
});

/** The query parameters of `GET /credits`. */
export const creditsQuery = z.object({
  ...listFields,
  type: transactionType.optional(),
  start: startTime.optional(),
  end: endTime.optional(),
});

/** Serves `GET /credits` and `GET /v1/credits` (wire contract §2.4). */
export function creditsRoutes({ db }: { readonly db: GatewayDb }): Hono<AppEnv> {
  const answer = async (context: Context<AppEnv>) =>
    context.json(await readCredits(db, context.get('principal').accountId, readQuery(context, creditsQuery)));
  return new Hono<AppEnv>().get('/credits', answer).get('/v1/credits', answer);
}
