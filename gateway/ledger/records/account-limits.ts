import { sql } from 'kysely';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { getLeft } from '#shared/spending-limit.ts';
import type { QuoteLimit } from '#shared/wire/quote.ts';
import type { UsedLimit } from '#shared/wire/usage.ts';
import { readLines } from '../../access/auth/key-line.ts';
import type { Principal } from '../../access/auth/principal.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import type { AccountRow } from '../../storage/schema.ts';
import { endOfDay, getDay } from '../period.ts';
import {
  getLimitName,
  getReset,
  getSpendingLimits,
  isExceeded,
  type LedgerLimit,
  type ModelName,
  modelLimitName,
  toLimitError,
} from '../spending-limits.ts';
import { accountRow } from './account-store.ts';

type Caller = Pick<Principal, 'accountId' | 'plan' | 'credential'>;

/**
 * Returns how much of the plan's quotas and of the account's own limits is used, as they apply to this caller (wire contract
 * §2.3). Rate limits aren't quotas and aren't listed.
 */
export async function quotas(db: GatewayDb, caller: Caller, now: number): Promise<UsedLimit[]> {
  const { accountId, plan, credential } = caller;
  const row = await accountRow(db, accountId);
  const limits = getSpendingLimits({ account: row, plan, keyId: credential.id, keys: [], model: null }, now)
    .filter(({ scope }) => scope !== 'balance')
    .map((limit) => toUsedLimit(limit, now));
  if (plan.requestsPerDay === null) return limits;
  return limits.toSpliced(plan.monthlySpend === null ? 0 : 1, 0, requestsToday(row, plan.requestsPerDay, now));
}

const usd = (amount: bigint) => formatUsd(nanoUsd(amount));

function toUsedLimit(limit: LedgerLimit, now: number): UsedLimit {
  const left = getLeft({ ...limit, held: 0n });
  return {
    name: getLimitName(limit),
    limit: usd(limit.limit),
    used: usd(limit.used),
    remaining: usd(left > 0n ? left : 0n),
    resets_at: getReset(limit, now),
    ...(limit.scope === 'model' && limit.id !== null ? { model: limit.id } : {}),
  };
}

function requestsToday(row: AccountRow, limit: number, now: number): UsedLimit {
  const requests = row.day === getDay(now) ? Number(row.day_requests) : 0;
  return {
    name: 'requests_per_day',
    limit: String(limit),
    used: String(requests),
    remaining: String(Math.max(0, limit - requests)),
    resets_at: endOfDay(now) / 1000,
  };
}

/**
 * Returns everything that would refuse a request with this hold: the key's limit, the balance, the plan's quotas and the
 * account's limits.
 */
export async function getRefusals(
  db: GatewayDb,
  { accountId, plan, credential: { id: keyId } }: Principal,
  model: ModelName,
  hold: bigint,
  now: number,
): Promise<QuoteLimit[]> {
  const account = await accountRow(db, accountId);
  const [line = []] = keyId === null ? [] : await readLines(db, sql`id = ${keyId}`, now, 'exact');
  const limits = getSpendingLimits({ account, plan, keyId, keys: line.toReversed(), model }, now);
  const explain = (scope: LedgerLimit['scope']) =>
    limits
      .filter((limit) => limit.scope === scope && isExceeded(limit, hold))
      .map((limit) => toRefusal(limit, hold, now));
  const requests = plan.requestsPerDay === null ? [] : [requestsToday(account, plan.requestsPerDay, now)];
  return [
    ...explain('key').slice(0, 1),
    ...explain('balance'),
    ...explain('model'),
    ...explain('plan'),
    ...requests.filter(({ remaining }) => remaining === '0').map(toUsedUp),
    ...explain('account'),
  ];
}

function toRefusal(limit: LedgerLimit, hold: bigint, now: number): QuoteLimit {
  if (limit.scope === 'plan' || limit.scope === 'account') return toUsedUp(toUsedLimit(limit, now));
  const { code, message, details } = toLimitError(limit, hold, now);
  if (limit.scope === 'model') return { code, message, name: modelLimitName, ...details };
  if (limit.scope === 'key') return { code, message, ...details };
  const short = `This request may cost up to $${usd(hold)}, available $${usd(getLeft(limit))}.`;
  return { code, message: short, ...details };
}

const toUsedUp = (limit: UsedLimit): QuoteLimit => ({
  code: 'plan_limit_exceeded',
  message: `The limit ${limit.name} of ${limit.limit} leaves ${limit.remaining}.`,
  ...limit,
});
