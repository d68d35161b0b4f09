import { AppError } from '#shared/errors.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { getLeft, type SpendingLimit } from '#shared/spending-limit.ts';
import type { Plan } from '../access/auth/principal.ts';
import type { AccountRow, ApiKeyRow } from '../storage/schema.ts';
import { currentMonth, endOfDay, formatMonth, getDay } from './period.ts';

/**
 * All limits that a request's money must fit into: those of the plan, of the account, of the model and of the key, and the balance
 * (wire contract §2.7, §7).
 */
export type LedgerLimit = SpendingLimit<'plan' | 'account' | 'model' | 'key' | 'balance'>;

type LimitedAccount = Pick<
  AccountRow,
  | 'balance'
  | 'held'
  | 'day'
  | 'day_used'
  | 'month'
  | 'month_used'
  | 'day_limit'
  | 'month_limit'
  | 'unlimited_key'
  | 'model_limits'
>;

/** The caller that wants to spend, and the model that it's for. */
export interface Spender {
  readonly account: LimitedAccount;
  readonly plan: Pick<Plan, 'monthlySpend' | 'billing'>;
  readonly keyId: string | null;
  /** The key itself and the keys that minted it, oldest first. A minted key also spends from the limits of the keys above it. */
  readonly keys: readonly Pick<ApiKeyRow, 'id' | 'spend_limit' | 'spent' | 'held'>[];
  /** Null: the limits of all models. */
  readonly model: ModelName | null;
}

/** Returns every limit that applies to this caller, in the order in which they refuse. */
export function getSpendingLimits({ account, plan, keyId, keys, model }: Spender, now: number): LedgerLimit[] {
  const { held, balance } = account;
  const { monthlySpend } = plan;
  const limits: LedgerLimit[] = [];
  if (monthlySpend !== null) {
    limits.push({
      scope: 'plan',
      period: 'month',
      id: null,
      limit: monthlySpend,
      used: usedThisMonth(account, now),
      held,
    });
  }
  addAccountLimits(account, keyId, model, now, limits);
  for (const { id, spend_limit: limit, spent: used, held } of keys) {
    if (limit !== null) limits.push({ scope: 'key', period: null, id, limit, used, held });
  }
  if (plan.billing === 'prepaid') {
    limits.push({ scope: 'balance', period: null, id: null, limit: balance, used: 0n, held });
  }
  return limits;
}

/** One key is exempt from the account's own limits: that of the desktop app, which asks a person before it exceeds them. */
function addAccountLimits(
  account: LimitedAccount,
  keyId: string | null,
  model: ModelName | null,
  now: number,
  limits: LedgerLimit[],
): void {
  const { held, day_limit: day, month_limit: month, unlimited_key: exempt, model_limits: models } = account;
  if (exempt !== null && exempt === keyId) return;
  if (day !== null) {
    limits.push({ scope: 'account', period: 'day', id: null, limit: day, used: usedToday(account, now), held });
  }
  if (month !== null) {
    limits.push({ scope: 'account', period: 'month', id: null, limit: month, used: usedThisMonth(account, now), held });
  }
  if (models === null) return;
  const wanted = model && modelId(model);
  for (const [id, { limit, used, held }] of readModelLimits(models)) {
    if (wanted !== null && wanted !== id) continue;
    const usedNow = usedThisMonth({ month: account.month, month_used: used }, now);
    limits.push({ scope: 'model', period: 'month', id, limit, used: usedNow, held });
  }
}

/** Returns what the account was charged for requests of the current UTC day. */
export const usedToday = ({ day, day_used }: Pick<AccountRow, 'day' | 'day_used'>, now: number): bigint =>
  day === getDay(now) ? day_used : 0n;

/** Returns what the current UTC month was charged: zero when the account's counter still belongs to an earlier month. */
export const usedThisMonth = ({ month, month_used }: Pick<AccountRow, 'month' | 'month_used'>, now: number): bigint =>
  month === formatMonth(getDay(now)) ? month_used : 0n;

/** Whether a limit can't cover an amount. An amount of zero is never refused. */
export const isExceeded = (limit: LedgerLimit, amount: bigint): boolean => amount > 0n && getLeft(limit) < amount;

/** Returns the largest amount that every limit covers, or null when there is no limit. */
export function getSpendable(limits: readonly LedgerLimit[]): bigint | null {
  let least: bigint | null = null;
  for (const limit of limits) {
    const left = getLeft(limit);
    if (least === null || left < least) least = left;
  }
  return least;
}

/** Returns when a limit starts anew, in Unix seconds. Null when it never does. */
export const getReset = ({ period }: LedgerLimit, now: number): number | null =>
  period === null ? null : (period === 'day' ? endOfDay(now) : currentMonth(now).endMs) / 1000;

/** The names of limits on the wire. Keys and balances have none: their errors have codes of their own. */
export function getLimitName({ scope, period }: Pick<LedgerLimit, 'scope' | 'period'>): string {
  if (scope === 'plan') return 'monthly_spend_usd';
  return scope === 'model' ? modelLimitName : `account_${period}_usd`;
}

export const modelLimitName = 'account_model_month_usd';

/** Whether a request was refused because of its model's limit, in which case another model may be tried. */
export const isModelRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'plan_limit_exceeded' && error.details?.limit === modelLimitName;

const usd = (amount: bigint) => formatUsd(nanoUsd(amount));

/** Returns the error for a request that a limit can't cover. */
export function toLimitError(exceeded: LedgerLimit, amount: bigint, now: number): AppError {
  const { scope, period, id, used } = exceeded;
  const [limit, needed, available] = [usd(exceeded.limit), usd(amount), usd(getLeft(exceeded))];
  const left = getLeft(exceeded) > 0n ? available : '0';
  // `reserve.ts` adds how long an answer the balance would cover.
  if (scope === 'balance') {
    return new AppError(
      'insufficient_credits',
      `Insufficient credits: this request may cost up to $${needed}, available $${available}. Lower max_tokens or add credits.`,
      { details: { needed_usd: needed, available_usd: available } },
    );
  }
  if (scope === 'key') {
    return new AppError(
      'key_spend_limit_exceeded',
      `This API key may spend $${limit} in all: this request may cost up to $${needed}, $${left} are left. Raise the key's limit or use another key.`,
      { details: { limit_usd: limit, needed_usd: needed, available_usd: left } },
    );
  }
  const resetsAt = getReset(exceeded, now) ?? 0;
  const starts = `starts anew at ${new Date(resetsAt * 1000).toISOString()}`;
  const model = scope === 'model' ? { model: id } : {};
  return new AppError(
    'plan_limit_exceeded',
    scope === 'plan'
      ? `The plan allows $${limit} a month, of which $${usd(used)} are used. The quota ${starts}.`
      : `This account may spend $${limit} a ${period}${id === null ? '' : ` on ${id}`}, of which $${usd(used)} are used: this request may cost up to $${needed}, $${left} are left. The limit ${starts}; whoever owns the account can raise it${id === null ? '' : ', or ask another model'}.`,
    { details: { limit: getLimitName(exceeded), ...model, limit_value: limit, resets_at: resetsAt } },
  );
}

export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

export const modelId = ({ provider, model }: ModelName): string => `${provider}/${model}`;

/**
 * The monthly limits for single models are in one JSON column of the account, each with what the account's month was charged and what
 * is held. It's null for an account without such limits, which therefore costs nothing to check.
 */
export type ModelLimit = Pick<SpendingLimit, 'limit' | 'used' | 'held'>;

/** Returns the limits by model id. */
export function readModelLimits(text: string | null): Map<string, ModelLimit> {
  const rows = Object.entries(JSON.parse(text ?? '{}') as Record<string, readonly [string, string, string]>);
  return new Map(
    rows.map(([id, [limit, used, held]]) => [id, { limit: BigInt(limit), used: BigInt(used), held: BigInt(held) }]),
  );
}

/** Sorted by id, so equal limits have equal text. PostgreSQL's guards compare the text. */
export function modelLimitsText(limits: ReadonlyMap<string, ModelLimit>): string | null {
  if (limits.size === 0) return null;
  const rows = [...limits].sort(([first], [next]) => (first < next ? -1 : 1));
  return JSON.stringify(
    Object.fromEntries(rows.map(([id, { limit, used, held }]) => [id, [`${limit}`, `${used}`, `${held}`]])),
  );
}

interface ModelCounters {
  model_limits: string | null;
}

/** Adds to what is held and used of a model's limit, if it has one. */
export function countForModel(
  account: ModelCounters,
  model: ModelName,
  { held = 0n, used = 0n }: Partial<Pick<ModelLimit, 'held' | 'used'>>,
): void {
  if (account.model_limits === null) return;
  const limits = readModelLimits(account.model_limits);
  const id = modelId(model);
  const known = limits.get(id);
  if (!known) return;
  limits.set(id, { limit: known.limit, used: known.used + used, held: known.held + held });
  account.model_limits = modelLimitsText(limits);
}

export function beginModelMonth(account: ModelCounters): void {
  const limits = readModelLimits(account.model_limits);
  for (const [id, limit] of limits) limits.set(id, { ...limit, used: 0n });
  account.model_limits = modelLimitsText(limits);
}
