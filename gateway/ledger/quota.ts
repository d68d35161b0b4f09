import { AppError } from '#shared/errors.ts';
import { formatUsd, type NanoUsd, nanoUsd } from '#shared/money.ts';
import type { Plan, Principal } from '../access/auth/principal.ts';
import type { MaybePromise } from '../runtime/concurrency/awaitable.ts';
import type { GatewayDb } from '../storage/open-database.ts';
import type { AccountRow, ApiKeyRow } from '../storage/schema.ts';
import { currentMonth, endOfDay, getDay } from './period.ts';

/** The quotas of plans (wire contract §7): requests a day and money a month. */

export const formatMonth = (day: string): string => day.slice(0, 7);

interface DayQuotaDeps {
  readonly db: GatewayDb;
  /** The account as it was seen last, where somebody remembers it. */
  readonly seen?: ((accountId: string) => Counted | undefined) | undefined;
}

/**
 * Refuses a request whose plan's day is used up before anything of it is read: 403 comes before 429 and 400 (§3.3). Only
 * the hold counts exactly, so that what was seen last may let a request pass, but refuses none. The month is left to the hold
 * altogether: whether a request costs the account anything is not known yet.
 */
export function requireDayQuota(
  { db, seen }: DayQuotaDeps,
  { accountId, plan }: Principal,
  now: number,
): MaybePromise<void> {
  if (plan.requestsPerDay === null) return undefined;
  const last = seen?.(accountId);
  return last && quotaRefusal(last, plan, 0n, now) === null ? undefined : lookAtDay(db, accountId, plan, now);
}

async function lookAtDay(db: GatewayDb, accountId: string, plan: Plan, now: number): Promise<void> {
  const row = await db.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow();
  const refusal = quotaRefusal(row, plan, 0n, now);
  if (refusal) throw refusal;
}

type Counted = Pick<AccountRow, 'held' | 'day' | 'day_requests' | 'month' | 'month_used'>;

/** The quota that refuses a request of this amount now, or null. */
export const quotaRefusal = (account: Counted, plan: Plan, amount: bigint, now: number): AppError | null =>
  dayRefusal(account, plan, now) ?? monthRefusal(account, plan, amount, now);

/** How many requests could still be opened today after one more, -1 where there is no room for it; null: any number. */
export function dayMargin(account: Counted, { requestsPerDay: limit }: Plan, now: number): bigint | null {
  return limit === null || account.day !== getDay(now) ? null : BigInt(limit) - account.day_requests - 1n;
}

function dayRefusal(account: Counted, plan: Plan, now: number): AppError | null {
  const left = dayMargin(account, plan, now);
  if (left === null || left >= 0n) return null;
  const limit = plan.requestsPerDay;
  const resetsAt = endOfDay(now) / 1000;
  return exceeded('requests_per_day', String(limit), `${limit} requests a day`, resetsAt);
}

/** What would be left of the month's quota, below zero where it is passed; null where there is none or nothing to cover. */
export function monthMargin(account: Counted, { monthlySpend }: Plan, amount: bigint, now: number): bigint | null {
  return monthlySpend === null || amount === 0n ? null : monthlySpend - usedIn(account, now) - account.held - amount;
}

/** What the month was charged, as far as the account has begun it. */
export const usedIn = ({ month, month_used }: Pick<Counted, 'month' | 'month_used'>, now: number) =>
  month === formatMonth(getDay(now)) ? month_used : 0n;

/** The month's quota alone: what is reserved later for a request that was counted before. */
export function monthRefusal(account: Counted, plan: Plan, amount: bigint, now: number): AppError | null {
  const left = monthMargin(account, plan, amount, now);
  const limit = plan.monthlySpend;
  if (left === null || limit === null || left >= 0n) return null;
  return monthExceeded(limit, nanoUsd(usedIn(account, now)), currentMonth(now).endMs / 1000);
}

function monthExceeded(limit: NanoUsd, used: NanoUsd, resetsAt: number): AppError {
  const text = formatUsd(limit);
  return exceeded('monthly_spend_usd', text, `$${text} a month, of which $${formatUsd(used)} are used`, resetsAt);
}

const exceeded = (name: string, limit: string, what: string, resetsAt: number) =>
  new AppError(
    'plan_limit_exceeded',
    `The plan allows ${what}. The quota starts anew at ${new Date(resetsAt * 1000).toISOString()}.`,
    { details: { limit: name, limit_value: limit, resets_at: resetsAt } },
  );

/** Why a key may not reserve an amount as things stand at the moment, or null; reserves nothing. */
export async function keyShortageNow(db: GatewayDb, keyId: string, amount: bigint): Promise<AppError | null> {
  if (amount === 0n) return null;
  const rows: Limited[] = [];
  for (let id: string | null = keyId; id !== null; ) {
    const row: (Limited & { parent_id: string | null }) | undefined = await db
      .selectFrom('api_keys')
      .select(['spend_limit', 'spent', 'held', 'parent_id'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (row) rows.push(row);
    id = row?.parent_id ?? null;
  }
  return getShortage(rows, amount);
}

type Limited = Pick<ApiKeyRow, 'spend_limit' | 'spent' | 'held'>;

/** What would be left of a key's limit, below zero where it is short; null where there is none or nothing to cover. */
export const keyMargin = ({ spend_limit: limit, spent, held }: Limited, amount: bigint): bigint | null =>
  amount === 0n || limit === null ? null : limit - spent - held - amount;

/**
 * The first of a key and those that minted it, oldest first, whose limit an amount would pass, as an error; else null. A key
 * that a limited key minted spends from that key's limit too, so that minting never makes a limit larger.
 */
export function getShortage(keys: readonly Limited[], amount: bigint): AppError | null {
  for (const key of keys) {
    const left = keyMargin(key, amount);
    if (left !== null && left < 0n) return shortage(key, left, amount);
  }
  return null;
}

function shortage({ spend_limit: limit }: Limited, margin: bigint, amount: bigint): AppError {
  const left = margin + amount;
  const available = formatUsd(nanoUsd(left > 0n ? left : 0n));
  const needed = formatUsd(nanoUsd(amount));
  const limitUsd = formatUsd(nanoUsd(limit ?? 0n));
  return new AppError(
    'key_spend_limit_exceeded',
    `This API key may spend $${limitUsd} in all: this request may cost up to $${needed}, $${available} are left. Raise the key's limit or use another key.`,
    { details: { limit_usd: limitUsd, needed_usd: needed, available_usd: available } },
  );
}

type Funds = Pick<AccountRow, 'balance' | 'held'>;

/** What a prepaid balance would have left, below zero where it is short; null where there is nothing to cover. */
export const creditMargin = (account: Funds, { billing }: Plan, amount: bigint): bigint | null =>
  amount === 0n || billing === 'meter_only' ? null : account.balance - account.held - amount;

/** Why a prepaid balance cannot cover an amount, or null. Nothing to reserve is never refused. */
export function creditShortage(account: Funds, plan: Plan, amount: bigint): AppError | null {
  const left = creditMargin(account, plan, amount);
  return left === null || left >= 0n ? null : insufficientCredits(account, amount);
}

/** Wire contract §2.7; `reserve.ts` adds how long an answer the balance covers. */
function insufficientCredits({ balance, held }: Funds, amount: bigint): AppError {
  const needed = formatUsd(nanoUsd(amount));
  const available = formatUsd(nanoUsd(balance - held));
  return new AppError(
    'insufficient_credits',
    `Insufficient credits: this request may cost up to $${needed}, available $${available}. Lower max_tokens or add credits.`,
    { details: { needed_usd: needed, available_usd: available } },
  );
}
