import { AppError } from '#shared/errors.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { AccountRow } from '../storage/schema.ts';
import { currentMonth } from './period.ts';
import { usedIn } from './quota.ts';

/**
 * The monthly spending limit (UTC) of an account for a single model (wire contract §7), with what the month was charged and what
 * is held. All limits of an account are in one JSON column. It's null for an account without such limits, which therefore costs
 * nothing to check.
 */
export interface ModelLimit {
  readonly limit: bigint;
  readonly used: bigint;
  readonly held: bigint;
}

export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

export const modelId = ({ provider, model }: ModelName): string => `${provider}/${model}`;

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

type Counted = Pick<AccountRow, 'month' | 'model_limits'>;
type Changed = { -readonly [Name in keyof Counted]: Counted[Name] };

export function holdForModel(account: Changed, model: ModelName, amount: bigint): void {
  change(account, model, ({ limit, used, held }) => ({ limit, used, held: held + amount }));
}

/** Adds a charge to the used amount of the account's month. */
export function chargeModel(account: Changed, model: ModelName, amount: bigint): void {
  change(account, model, ({ limit, used, held }) => ({ limit, used: used + amount, held }));
}

export function beginModelMonth(account: Changed): void {
  const limits = [...readModelLimits(account.model_limits)];
  account.model_limits = modelLimitsText(
    new Map(limits.map(([id, { limit, held }]) => [id, { limit, used: 0n, held }])),
  );
}

function change(account: Changed, model: ModelName, next: (limit: ModelLimit) => ModelLimit): void {
  if (account.model_limits === null) return;
  const limits = readModelLimits(account.model_limits);
  const id = modelId(model);
  const known = limits.get(id);
  if (known) account.model_limits = modelLimitsText(limits.set(id, next(known)));
}

type Limited = Pick<AccountRow, 'month' | 'month_used' | 'model_limits' | 'unlimited_key'>;

/** Whether this key is exempt from the account's limits. */
export const isUnlimited = ({ unlimited_key: key }: Pick<Limited, 'unlimited_key'>, keyId: string | null): boolean =>
  key !== null && key === keyId;

export interface ModelLimitNow extends ModelLimit {
  readonly model: string;
  /** Unix seconds. */
  readonly resetsAt: number;
}

/** Returns the limits of single models for this key, with what the current month has used. Empty for an exempt key. */
export function getModelLimits(account: Limited, keyId: string | null, now: number): ModelLimitNow[] {
  const { model_limits: text } = account;
  if (text === null || isUnlimited(account, keyId)) return [];
  const resetsAt = currentMonth(now).endMs / 1000;
  return [...readModelLimits(text)].map(([model, { limit, used, held }]) => {
    const usedNow = usedIn({ month: account.month, month_used: used }, now);
    return { model, limit, used: usedNow, held, resetsAt };
  });
}

/** Returns the error when the model's limit can't cover an amount, else null. An amount of zero is never refused. */
export function modelRefusal(
  account: Limited,
  keyId: string | null,
  model: ModelName,
  amount: bigint,
  now: number,
): AppError | null {
  if (amount === 0n) return null;
  const id = modelId(model);
  const own = getModelLimits(account, keyId, now).find((limit) => limit.model === id);
  return own && own.limit - own.used - own.held < amount ? exceeded(own, amount) : null;
}

export const modelLimitName = 'account_model_month_usd';

const usd = (amount: bigint) => formatUsd(nanoUsd(amount));

function exceeded({ model, limit, used, held, resetsAt }: ModelLimitNow, amount: bigint): AppError {
  const left = limit - used - held;
  return new AppError(
    'plan_limit_exceeded',
    `This account may spend $${usd(limit)} a month on ${model}, of which $${usd(used)} are used: this request may cost up to $${usd(amount)}, $${usd(left > 0n ? left : 0n)} are left. The limit starts anew at ${new Date(resetsAt * 1000).toISOString()}; whoever owns the account can raise it, or ask another model.`,
    { details: { limit: modelLimitName, model, limit_value: usd(limit), resets_at: resetsAt } },
  );
}

/** Whether a request was refused because of its model's limit, in which case another model may be tried. */
export const isModelRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'plan_limit_exceeded' && error.details?.limit === modelLimitName;
