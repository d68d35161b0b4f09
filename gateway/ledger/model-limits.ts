import { AppError } from '#shared/errors.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { AccountRow } from '../storage/schema.ts';
import { currentMonth } from './period.ts';
import { usedIn } from './quota.ts';

/**
 * What an account lets its keys spend on single models in a UTC month (wire contract §7). One column has it all, with what each
 * of these models was charged in the account's month and holds: an account without such limits has null there, and pays nothing
 * for them.
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

/** By the ids of models. */
export function readModelLimits(text: string | null): Map<string, ModelLimit> {
  const rows = Object.entries(JSON.parse(text ?? '{}') as Record<string, readonly [string, string, string]>);
  return new Map(
    rows.map(([id, [limit, used, held]]) => [id, { limit: BigInt(limit), used: BigInt(used), held: BigInt(held) }]),
  );
}

/** In the order of their ids: the same limits are the same text. */
export function modelLimitsText(limits: ReadonlyMap<string, ModelLimit>): string | null {
  if (limits.size === 0) return null;
  const rows = [...limits].sort(([one], [next]) => (one < next ? -1 : 1));
  return JSON.stringify(
    Object.fromEntries(rows.map(([id, { limit, used, held }]) => [id, [`${limit}`, `${used}`, `${held}`]])),
  );
}

type Counted = Pick<AccountRow, 'month' | 'model_limits'>;
type Changed = { -readonly [Name in keyof Counted]: Counted[Name] };

export function holdForModel(account: Changed, model: ModelName, amount: bigint): void {
  change(account, model, ({ limit, used, held }) => ({ limit, used, held: held + amount }));
}

/** Counts a charge in the account's month. */
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

/** Whether no limit of the account holds for a key. */
export const isUnlimited = ({ unlimited_key: key }: Pick<Limited, 'unlimited_key'>, keyId: string | null): boolean =>
  key !== null && key === keyId;

export interface ModelLimitNow extends ModelLimit {
  readonly model: string;
  /** Unix seconds. */
  readonly resetsAt: number;
}

/** The limits of single models as they stand now, for a key that they hold for. */
export function getModelLimits(account: Limited, keyId: string | null, now: number): ModelLimitNow[] {
  const { model_limits: text } = account;
  if (text === null || isUnlimited(account, keyId)) return [];
  const resetsAt = currentMonth(now).endMs / 1000;
  return [...readModelLimits(text)].map(([model, { limit, used, held }]) => {
    const usedNow = usedIn({ month: account.month, month_used: used }, now);
    return { model, limit, used: usedNow, held, resetsAt };
  });
}

/** Why a model may not be asked for an amount now, or null. Nothing to reserve is never refused. */
export function modelRefusal(
  account: Limited,
  keyId: string | null,
  model: ModelName,
  amount: bigint,
  now: number,
): AppError | null {
  if (amount === 0n) return null;
  const id = modelId(model);
  const own = getModelLimits(account, keyId, now).find((one) => one.model === id);
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

/** Whether a request was refused by the limit of the model that it asked for: another one may be asked. */
export const isModelRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'plan_limit_exceeded' && error.details?.limit === modelLimitName;
