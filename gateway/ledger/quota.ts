import { AppError } from '#shared/errors.ts';
import type { Plan, Principal } from '../access/auth/principal.ts';
import type { MaybePromise } from '../runtime/concurrency/awaitable.ts';
import type { GatewayDb } from '../storage/open-database.ts';
import type { AccountRow } from '../storage/schema.ts';
import { endOfDay, getDay } from './period.ts';

/** The quota of a plan: how many requests may begin in a UTC day (wire contract §7). */

interface DayQuotaDeps {
  readonly db: GatewayDb;
  /** Returns the account as this instance last saw it, if the ledger caches accounts. */
  readonly seen?: ((accountId: string) => Counted | undefined) | undefined;
}

/**
 * Refuses a request whose plan's daily quota is used up before its body is read: 403 comes before 429 and 400 (§3.3). Only the
 * hold counts exactly, so a cached account may let a request pass, but a refusal is always checked against the database.
 */
export function requireDayQuota(
  { db, seen }: DayQuotaDeps,
  { accountId, plan }: Principal,
  now: number,
): MaybePromise<void> {
  if (plan.requestsPerDay === null) return undefined;
  const last = seen?.(accountId);
  return last && dayRefusal(last, plan, now) === null ? undefined : checkDay(db, accountId, plan, now);
}

async function checkDay(db: GatewayDb, accountId: string, plan: Plan, now: number): Promise<void> {
  const row = await db.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow();
  const refusal = dayRefusal(row, plan, now);
  if (refusal) throw refusal;
}

type Counted = Pick<AccountRow, 'day' | 'day_requests'>;

/**
 * Returns how many requests could still begin today after one more; -1 when that one is too many, null when there is no limit.
 */
export function dayMargin(account: Counted, { requestsPerDay: limit }: Plan, now: number): bigint | null {
  return limit === null || account.day !== getDay(now) ? null : BigInt(limit) - account.day_requests - 1n;
}

/** Returns the error when no more requests may begin today, else null. */
export function dayRefusal(account: Counted, plan: Plan, now: number): AppError | null {
  const left = dayMargin(account, plan, now);
  if (left === null || left >= 0n) return null;
  const limit = plan.requestsPerDay;
  const resetsAt = endOfDay(now) / 1000;
  return new AppError(
    'plan_limit_exceeded',
    `The plan allows ${limit} requests a day. The quota starts anew at ${new Date(resetsAt * 1000).toISOString()}.`,
    { details: { limit: 'requests_per_day', limit_value: String(limit), resets_at: resetsAt } },
  );
}
