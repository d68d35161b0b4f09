import { AppError } from '#shared/errors.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { AccountRow } from '../storage/schema.ts';
import { isUnlimited, type ModelName, modelRefusal } from './model-limits.ts';
import { currentMonth, endOfDay, getDay } from './period.ts';
import { usedIn } from './quota.ts';

/**
 * What an account itself lets its keys spend in a UTC day and month, whatever its plan allows (wire contract §7). They hold for
 * every key but one: the desktop app's, which asks a person before it passes them.
 */

type Limited = Pick<
  AccountRow,
  'held' | 'day' | 'day_used' | 'month' | 'month_used' | 'day_limit' | 'month_limit' | 'unlimited_key' | 'model_limits'
>;

/** What would be left of the day's limit, below zero where it is passed; null where there is none for this key. */
export const dayLimitMargin = (account: Limited, keyId: string | null, amount: bigint, now: number): bigint | null =>
  getMargin(account, account.day_limit, keyId, usedToday(account, now), amount);

export const monthLimitMargin = (account: Limited, keyId: string | null, amount: bigint, now: number): bigint | null =>
  getMargin(account, account.month_limit, keyId, usedIn(account, now), amount);

/** Nothing to reserve is never refused. */
function getMargin(account: Limited, limit: bigint | null, keyId: string | null, used: bigint, amount: bigint) {
  if (limit === null || amount === 0n || isUnlimited(account, keyId)) return null;
  return limit - used - account.held - amount;
}

/** What the account has spent in the UTC day that it is, in nano-USD. */
export const usedToday = ({ day, day_used }: Pick<Limited, 'day' | 'day_used'>, now: number): bigint =>
  day === getDay(now) ? day_used : 0n;

/** The limit of the account that refuses an amount for a model now, or null. */
export function limitRefusal(
  account: Limited,
  keyId: string | null,
  model: ModelName,
  amount: bigint,
  now: number,
): AppError | null {
  if (amount === 0n) return null;
  const ofAll =
    account.day_limit === null && account.month_limit === null ? null : ofAllModels(account, keyId, amount, now);
  return ofAll ?? (account.model_limits === null ? null : modelRefusal(account, keyId, model, amount, now));
}

function ofAllModels(account: Limited, keyId: string | null, amount: bigint, now: number): AppError | null {
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

/** The account's own limits as they hold for a key: the day's, then the month's. */
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
