import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { Usage } from '#shared/wire/usage.ts';
import type { Plan } from '../auth/principal.ts';
import type { BooksDb } from '../db/open.ts';
import type { AccountRow } from '../db/schema.ts';
import { currentMonth, dayMs, dayOf } from '../ledger/period.ts';
import { monthOf } from '../ledger/quota.ts';
import { accountRow } from './account-store.ts';

/** How much of the plan's quotas is used up (wire contract §2.3). Window limits are not quotas and not listed. */
export async function quotas(db: BooksDb, accountId: string, plan: Plan, now: number): Promise<Usage['limits']> {
  const row = await accountRow(db, accountId);
  return [
    ...(plan.monthlySpend === null ? [] : [monthlySpend(row, plan.monthlySpend, now)]),
    ...(plan.requestsPerDay === null ? [] : [requestsToday(row, plan.requestsPerDay, now)]),
  ];
}

function monthlySpend(row: AccountRow, limit: bigint, now: number) {
  const used = row.month === monthOf(dayOf(now)) ? row.month_used : 0n;
  return {
    name: 'monthly_spend_usd',
    limit: formatUsd(nanoUsd(limit)),
    used: formatUsd(nanoUsd(used)),
    remaining: formatUsd(nanoUsd(used < limit ? limit - used : 0n)),
    resets_at: currentMonth(now).endMs / 1000,
  };
}

function requestsToday(row: AccountRow, limit: number, now: number) {
  const requests = row.day === dayOf(now) ? Number(row.day_requests) : 0;
  return {
    name: 'requests_per_day',
    limit: String(limit),
    used: String(requests),
    remaining: String(Math.max(0, limit - requests)),
    resets_at: (now - (now % dayMs) + dayMs) / 1000,
  };
}
