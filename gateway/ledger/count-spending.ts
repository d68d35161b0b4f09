import type { AccountState, KeyState } from './ledger-snapshot.ts';
import { beginModelMonth, chargeModel, holdForModel, type ModelName } from './model-limits.ts';
import { formatMonth } from './quota.ts';

/** The day only moves on: the clocks of instances differ, and one that is late must not begin it again. */
export function countRequest(account: AccountState, day: string): void {
  if (account.day > day) return;
  if (account.day !== day) {
    account.day = day;
    account.day_requests = 0n;
    account.day_used = 0n;
  }
  account.day_requests += 1n;
}

export function reserve(account: AccountState, keys: readonly KeyState[], model: ModelName, amount: bigint): void {
  account.held += amount;
  for (const key of keys) key.held += amount;
  if (account.model_limits !== null) holdForModel(account, model, amount);
}

/** What a request holds is held for another model. */
export function moveHold(account: AccountState, from: ModelName, to: ModelName, amount: bigint): void {
  holdForModel(account, from, -amount);
  holdForModel(account, to, amount);
}

/** A charge belongs to the day and the month its request began in; both only move on, the day when a request begins. */
export function charge(account: AccountState, settlement: ModelName & { readonly charge: bigint }, day: string): void {
  const { charge: amount } = settlement;
  account.balance -= amount;
  account.used += amount;
  if (account.day === day) account.day_used += amount;
  const month = formatMonth(day);
  if (account.month > month) return;
  if (account.model_limits !== null) {
    if (account.month !== month) beginModelMonth(account);
    chargeModel(account, settlement, amount);
  }
  account.month_used = (account.month === month ? account.month_used : 0n) + amount;
  account.month = month;
}
