import { AppError } from '#shared/errors.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { AccountRow } from '../storage/schema.ts';
import { isUnlimited, type ModelName, modelRefusal } from './model-limits.ts';
import { currentMonth, endOfDay, getDay } from './period.ts';
import { usedIn } from './quota.ts';

/**
 * The spending limits that an account sets for its own keys, by UTC day and month, independent of its plan (wire contract §7).
 * One key is exempt: that of the desktop app, which asks a person before it exceeds them.
 */

type Limited = Pick<
  AccountRow,
  'held' | 'day' | 'day_used' | 'month' | 'month_used' | 'day_limit' | 'month_limit' | 'unlimited_key' | 'model_limits'
>;

/** Returns what would be left of the daily limit, negative when it's exceeded; null when there is no limit for this key. */
export const dayLimitMargin = (account: Limited, keyId: string | null, amount: bigint, now: number): bigint | null =>
  getMargin(account, account.day_limit, keyId, usedToday(account, now), amount);

export const monthLimitMargin = (account: Limited, keyId: string | null, amount: bigint, now: number): bigint | null =>
  getMargin(account, account.month_limit, keyId, usedIn(account, now), amount);

/** An amount of zero is never refused. */
function getMargin(account: Limited, limit: bigint | null, keyId: string | null, used: bigint, amount: bigint) {
  if (limit === null || amount === 0n || isUnlimited(account, keyId)) return null;
  return limit - used - account.held - amount;
}

/** Returns what the account has spent in the current UTC day, in nano-USD. */
export const usedToday = ({ day, day_used }: Pick<Limited, 'day' | 'day_used'>, now: number): bigint =>
  day === getDay(now) ? day_used : 0n;

/** Returns the error of the account's limit that refuses this amount for a model now, or null. */
export function limitRefusal(
  account: Limited,
  keyId: string | null,
  model: ModelName,
  amount: bigint,
  now: number,
): AppError | null {
  if (amount === 0n) return null;
  const ownRefusal =
    account.day_limit === null && account.month_limit === null ? null : accountRefusal(account, keyId, amount, now);
  return ownRefusal ?? (account.model_limits === null ? null : modelRefusal(account, keyId, model, amount, now));
}

function accountRefusal(account: Limited, keyId: string | null, amount: bigint, now: number): AppError | null {
  const passed = limitsOfAccount(account, keyId, now).find(({ limit, used }) => limit - used - account.held < amount);
  return passed ? exceeded(passed, account.held, amount) : null;
}

interface AccountLimit {
  readonly name: 'account_day_usd' | 'account_month_usd';
  readonly limit: bigint;
  readonly used: bigint;
  /** Unix seconds. */
  readonly resetsAt: number;
}

/** Returns the account's own limits for a key: the daily one, then the monthly one. */
export function limitsOfAccount(account: Limited, keyId: string | null, now: number): AccountLimit[] {
  if (isUnlimited(account, keyId)) return [];
  const { day_limit: day, month_limit: month } = account;
  const [dayEnds, monthEnds] = [endOfDay(now) / 1000, currentMonth(now).endMs / 1000];
  const used = { day: usedToday(account, now), month: usedIn(account, now) };
  return [
    ...(day === null ? [] : [{ name: 'account_day_usd', limit: day, used: used.day, resetsAt: dayEnds } as const]),
    ...(month === null
      ? []
      : [{ name: 'account_month_usd', limit: month, used: used.month, resetsAt: monthEnds } as const]),
  ];
}

const usd = (amount: bigint) => formatUsd(nanoUsd(amount));

function exceeded({ name, limit, used, resetsAt }: AccountLimit, held: bigint, amount: bigint): AppError {
  const left = limit - used - held;
  const period = name === 'account_day_usd' ? 'day' : 'month';
  return new AppError(
    'plan_limit_exceeded',
    `This account may spend $${usd(limit)} a ${period}, of which $${usd(used)} are used: this request may cost up to $${usd(amount)}, $${usd(left > 0n ? left : 0n)} are left. The limit starts anew at ${new Date(resetsAt * 1000).toISOString()}; whoever owns the account can raise it.`,
    { details: { limit: name, limit_value: usd(limit), resets_at: resetsAt } },
  );
}
