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
  /** Returns the account as this instance last saw it, if the ledger caches accounts. */
  readonly seen?: ((accountId: string) => Counted | undefined) | undefined;
}

/**
 * Refuses a request whose plan's daily quota is used up before its body is read: 403 comes before 429 and 400 (§3.3). Only the
 * hold counts exactly, so a cached account may let a request pass, but a refusal is always checked against the database. The
 * monthly quota is left to the hold: it isn't known yet whether the request costs the account anything.
 */
export function requireDayQuota(
  { db, seen }: DayQuotaDeps,
  { accountId, plan }: Principal,
  now: number,
): MaybePromise<void> {
  if (plan.requestsPerDay === null) return undefined;
  const last = seen?.(accountId);
  return last && quotaRefusal(last, plan, 0n, now) === null ? undefined : checkDay(db, accountId, plan, now);
}

async function checkDay(db: GatewayDb, accountId: string, plan: Plan, now: number): Promise<void> {
  const row = await db.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow();
  const refusal = quotaRefusal(row, plan, 0n, now);
  if (refusal) throw refusal;
}

type Counted = Pick<AccountRow, 'held' | 'day' | 'day_requests' | 'month' | 'month_used'>;

/** Returns the error of the quota that refuses this amount now, or null. */
export const quotaRefusal = (account: Counted, plan: Plan, amount: bigint, now: number): AppError | null =>
  dayRefusal(account, plan, now) ?? monthRefusal(account, plan, amount, now);

/**
 * Returns how many requests could still begin today after one more; -1 when that one is too many, null when there is no limit.
 */
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

/**
 * Returns what would be left of the monthly quota, negative when it's exceeded; null when there is no quota or nothing to cover.
 */
export function monthMargin(account: Counted, { monthlySpend }: Plan, amount: bigint, now: number): bigint | null {
  return monthlySpend === null || amount === 0n ? null : monthlySpend - usedIn(account, now) - account.held - amount;
}

/** Returns what the current month was charged: zero when the account's counter still belongs to an earlier month. */
export const usedIn = ({ month, month_used }: Pick<Counted, 'month' | 'month_used'>, now: number) =>
  month === formatMonth(getDay(now)) ? month_used : 0n;

/** Checks only the monthly quota: a request that extends its hold has been counted for the day already. */
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

/** Returns the error when a key couldn't reserve this amount right now, else null. Reserves nothing. */
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

/**
 * Returns what would be left of a key's spending limit, negative when it's too small; null when there is no limit or nothing to
 * cover.
 */
export const keyMargin = ({ spend_limit: limit, spent, held }: Limited, amount: bigint): bigint | null =>
  amount === 0n || limit === null ? null : limit - spent - held - amount;

/**
 * Returns the error of the first key, from the oldest ancestor down, whose limit the amount would exceed, else null. A minted key
 * also spends from the limits of the keys above it, so minting never makes a limit larger.
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

/** Returns what a prepaid balance would have left, negative when it's too small; null when there is nothing to cover. */
export const creditMargin = (account: Funds, { billing }: Plan, amount: bigint): bigint | null =>
  amount === 0n || billing === 'meter_only' ? null : account.balance - account.held - amount;

/** Returns the error when a prepaid balance can't cover an amount, else null. An amount of zero is never refused. */
export function creditShortage(account: Funds, plan: Plan, amount: bigint): AppError | null {
  const left = creditMargin(account, plan, amount);
  return left === null || left >= 0n ? null : insufficientCredits(account, amount);
}

/** The error of wire contract §2.7. `reserve.ts` adds how long an answer the balance would cover. */
function insufficientCredits({ balance, held }: Funds, amount: bigint): AppError {
  const needed = formatUsd(nanoUsd(amount));
  const available = formatUsd(nanoUsd(balance - held));
  return new AppError(
    'insufficient_credits',
    `Insufficient credits: this request may cost up to $${needed}, available $${available}. Lower max_tokens or add credits.`,
    { details: { needed_usd: needed, available_usd: available } },
  );
}
