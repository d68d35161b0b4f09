import type { AppError } from '#shared/errors.ts';
import { nanoUsd } from '#shared/money.ts';
import { newId } from '../db/id.ts';
import type { BooksTransaction } from '../db/open.ts';
import type { RequestRow } from '../db/schema.ts';
import type { Transact } from '../db/transact.ts';
import { priceText } from '../prices/price-json.ts';
import { insufficientCredits } from './credit-shortage.ts';
import { keyShortage } from './key-limit.ts';
import type { HoldRequest, Ledger, Settlement } from './ledger.ts';
import { monthOf, quotaRefusal } from './quota.ts';
import { createSqliteLedger } from './sqlite-ledger.ts';
import * as statements from './statements.ts';
import { addToUsage, dayOf } from './usage-counters.ts';

/** How long a running request is believed without a sign of life. */
export const leaseMs = 60_000;
/** How often the engine gives that sign. */
export const renewEveryMs = 15_000;

export interface LedgerDeps {
  readonly transact: Transact;
  readonly now: () => number;
  /** Names this process in the books. */
  readonly instanceId: string;
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
}

/**
 * The ledger over SQL: each step is one transaction with one guarded update of the account (wire contract §2.7). Where
 * there is one connection, steps are taken in batches (`sqlite-ledger.ts`).
 */
export function createLedger(deps: LedgerDeps): Ledger {
  const { transact, now, instanceId } = deps;
  if (transact.oneWriter) return createSqliteLedger(transact.oneWriter, { ...deps, leaseMs });
  return {
    async decide(request) {
      await transact((trx) => hold(trx, request, now(), instanceId));
      return { durable: Promise.resolve() };
    },
    extend: (requestId, to) => transact((trx) => extend(trx, requestId, to, now())),
    renew: (requestId) =>
      transact(async (trx) => {
        await statements.renewLease(trx, { id: requestId, lease_until: BigInt(now() + leaseMs) });
      }),
    settle: (settlement) => transact((trx) => settle(trx, settlement, now())),
  };
}

async function hold(trx: BooksTransaction, request: HoldRequest, now: number, instanceId: string): Promise<void> {
  requireNotNegative(request.amount, 'hold');
  // An acknowledgement may have been lost: the same request held twice is held once.
  const known = await statements.findRequestId(trx, { id: request.requestId });
  if (known.rows.length > 0) return;
  const day = dayOf(now);
  const shortage = request.keyId === null ? null : await keyShortage(trx, request.keyId, request.amount);
  const reservation = { account_id: request.accountId, amount: request.amount, day, month: monthOf(day) };
  const opened = shortage === null && (await statements.open(trx, reservation)).numAffectedRows === 1n;
  if (!opened) throw await refusal(trx, request, shortage, now);
  await addToKeys(trx, request.keyId, request.amount, 0n);
  await statements.insertRequest(trx, {
    id: request.requestId,
    account_id: request.accountId,
    key_id: request.keyId,
    instance_id: instanceId,
    created: BigInt(now),
    day,
    provider: request.provider,
    model: request.model,
    purpose: request.purpose,
    conversation_id: request.conversationId,
    end_user: request.user,
    metadata: JSON.stringify(request.metadata),
    byok: request.byok ? 1n : 0n,
    hold: request.amount,
    lease_until: BigInt(now + leaseMs),
  });
}

/** Reserves for a key and those that minted it, or frees and charges. Nothing to add is not written. */
async function addToKeys(trx: BooksTransaction, keyId: string | null, held: bigint, spent: bigint): Promise<void> {
  if (keyId !== null && (held !== 0n || spent !== 0n)) await statements.addToKeys(trx, { id: keyId, held, spent });
}

/** Why the guards refused: the plan's quota is told before money (wire contract §3.3). Nothing was written yet. */
async function refusal(
  trx: BooksTransaction,
  request: HoldRequest,
  shortage: AppError | null,
  now: number,
): Promise<AppError> {
  const account = await trx.selectFrom('accounts').selectAll().where('id', '=', request.accountId).executeTakeFirst();
  if (!account) throw new Error(`account ${request.accountId} does not exist`);
  const known = quotaRefusal(account, request.amount, now) ?? shortage;
  if (known) return known;
  return insufficientCredits(account, request.amount);
}

/**
 * What an earlier try may have reserved already is not reserved again. Rows are locked in the order in which the settlement
 * locks them: request, keys, account.
 */
async function extend(trx: BooksTransaction, requestId: string, to: bigint, now: number): Promise<boolean> {
  const [row] = (await statements.lockRequest(trx, { id: requestId })).rows;
  if (row?.status !== 'running') return false;
  const by = to - row.hold;
  if (by <= 0n) return true;
  if (row.key_id !== null && (await keyShortage(trx, row.key_id, by))) return false;
  const reservation = { account_id: row.account_id, amount: by, month: monthOf(dayOf(now)) };
  if ((await statements.reserve(trx, reservation)).numAffectedRows !== 1n) return false;
  await addToKeys(trx, row.key_id, by, 0n);
  const extended = await trx
    .updateTable('requests')
    .set({ hold: to })
    .where('id', '=', requestId)
    .where('status', '=', 'running')
    .executeTakeFirst();
  if (extended.numUpdatedRows !== 1n) throw new Error(`request ${requestId} ended while its hold was extended`);
  return true;
}

/** Ends a running request, books its charge and frees its hold. Already ended: answers what was booked. */
export async function settle(trx: BooksTransaction, settlement: Settlement, now: number) {
  requireNotNegative(settlement.charge, 'charge');
  const [open] = (await statements.lockRequest(trx, { id: settlement.requestId })).rows;
  if (!open) throw new Error(`request ${settlement.requestId} was never held`);
  if (open.status !== 'running') return { charged: nanoUsd(open.charge) };
  await closeRequest(trx, settlement, now);
  await addToKeys(trx, open.key_id, -open.hold, settlement.charge);
  const { rows } = await statements.charge(trx, {
    account_id: open.account_id,
    hold: open.hold,
    charge: settlement.charge,
    month: monthOf(open.day),
  });
  const balance = rows[0]?.balance;
  if (balance === undefined) throw new Error(`account ${open.account_id} does not exist`);
  if (settlement.charge > 0n) await book(trx, open, settlement, balance, now);
  await addToUsage(trx, open, settlement);
  return { charged: settlement.charge };
}

async function closeRequest(trx: BooksTransaction, end: Settlement, now: number): Promise<void> {
  await statements.closeRequest(trx, {
    id: end.requestId,
    status: end.status,
    error_code: end.errorCode,
    ended: BigInt(now),
    charge: end.charge,
    upstream_cost: end.upstreamCost,
    estimated: end.estimated ? 1n : 0n,
    provider: end.provider,
    model: end.model,
    prompt_tokens: BigInt(end.usage.promptTokens),
    completion_tokens: BigInt(end.usage.completionTokens),
    cached_tokens: BigInt(end.usage.cachedTokens),
    cache_write_tokens: BigInt(end.usage.cacheWriteTokens),
    reasoning_tokens: BigInt(end.usage.reasoningTokens),
    audio_tokens: BigInt(end.usage.audioTokens ?? 0),
    cache_write_1h_tokens: BigInt(end.usage.cacheWriteHourTokens ?? 0),
    byok_fee_bps: BigInt(end.byokFeeBps ?? 0),
    first_token_ms: end.firstTokenMs === null ? null : BigInt(Math.round(end.firstTokenMs)),
    total_ms: BigInt(Math.round(end.totalMs)),
    price: end.price && priceText(end.price),
    routing: end.routing && JSON.stringify(end.routing),
  });
}

async function book(
  trx: BooksTransaction,
  open: RequestRow,
  settlement: Settlement,
  balanceAfter: bigint,
  now: number,
): Promise<void> {
  await statements.insertChargeEntry(trx, {
    id: newId('txn', now),
    type: open.byok === 1n ? 'byok_fee' : 'usage',
    account_id: open.account_id,
    amount: -settlement.charge,
    balance_after: balanceAfter,
    created: BigInt(now),
    description: `${settlement.provider}/${settlement.model}`,
    request_id: open.id,
    provider: settlement.provider,
    model: settlement.model,
    estimated: settlement.estimated ? 1n : 0n,
  });
}

function requireNotNegative(amount: bigint, what: string): void {
  if (amount < 0n) throw new Error(`a ${what} is never negative, got ${amount}`);
}
