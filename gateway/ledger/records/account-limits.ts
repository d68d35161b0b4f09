import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { Usage } from '#shared/wire/usage.ts';
import type { Principal } from '../../access/auth/principal.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import type { AccountRow } from '../../storage/schema.ts';
import { getModelLimits, modelLimitName } from '../model-limits.ts';
import { currentMonth, endOfDay, getDay } from '../period.ts';
import { usedIn } from '../quota.ts';
import { limitsOfAccount } from '../spending-limits.ts';
import { accountRow } from './account-store.ts';

type Caller = Pick<Principal, 'accountId' | 'plan' | 'credential'>;

/**
 * Returns how much of the plan's quotas and of the account's own limits is used, as they apply to this caller (wire contract
 * §2.3). Rate limits aren't quotas and aren't listed.
 */
export async function quotas(db: GatewayDb, caller: Caller, now: number): Promise<Usage['limits']> {
  const { accountId, plan, credential } = caller;
  const row = await accountRow(db, accountId);
  return [
    ...(plan.monthlySpend === null ? [] : [monthlySpend(row, plan.monthlySpend, now)]),
    ...(plan.requestsPerDay === null ? [] : [requestsToday(row, plan.requestsPerDay, now)]),
    ...limitsOfAccount(row, credential.id, now).map(({ name, limit, used, resetsAt }) =>
      money(name, limit, used, resetsAt),
    ),
    ...getModelLimits(row, credential.id, now).map(({ model, limit, used, resetsAt }) => ({
      ...money(modelLimitName, limit, used, resetsAt),
      model,
    })),
  ];
}

function monthlySpend(row: AccountRow, limit: bigint, now: number) {
  return money('monthly_spend_usd', limit, usedIn(row, now), currentMonth(now).endMs / 1000);
}

const money = (name: string, limit: bigint, used: bigint, resets_at: number) => ({
  name,
  limit: formatUsd(nanoUsd(limit)),
  used: formatUsd(nanoUsd(used)),
  remaining: formatUsd(nanoUsd(used < limit ? limit - used : 0n)),
  resets_at,
});

function requestsToday(row: AccountRow, limit: number, now: number) {
  const requests = row.day === getDay(now) ? Number(row.day_requests) : 0;
  return {
    name: 'requests_per_day',
    limit: String(limit),
    used: String(requests),
    remaining: String(Math.max(0, limit - requests)),
    resets_at: endOfDay(now) / 1000,
  };
}
