import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { Usage } from '#shared/wire/usage.ts';
import type { Plan } from '../auth/principal.ts';
import type { BooksDb } from '../db/open.ts';
import { currentMonth, dayMs } from './period.ts';
import { usageTotals } from './usage-store.ts';

/** How much of the plan's quotas is used up (wire contract §2.3). Window limits are not quotas and not listed. */
export async function quotas(db: BooksDb, accountId: string, plan: Plan, now: number): Promise<Usage['limits']> {
  const monthly = plan.monthlySpend === null ? [] : [await monthlySpend(db, accountId, plan.monthlySpend, now)];
  const daily = plan.requestsPerDay === null ? [] : [await requestsToday(db, accountId, plan.requestsPerDay, now)];
  return [...monthly, ...daily];
}

async function monthlySpend(db: BooksDb, accountId: string, limit: NonNullable<Plan['monthlySpend']>, now: number) {
  const month = currentMonth(now);
  const used = parseUsd((await usageTotals(db, { accountId, ...month })).cost_usd);
  return {
    name: 'monthly_spend_usd',
    limit: formatUsd(limit),
    used: formatUsd(used),
    remaining: formatUsd(nanoUsd(used < limit ? limit - used : 0n)),
    resets_at: month.endMs / 1000,
  };
}

async function requestsToday(db: BooksDb, accountId: string, limit: number, now: number) {
  const startMs = now - (now % dayMs);
  const { requests } = await usageTotals(db, { accountId, startMs, endMs: startMs + dayMs });
  return {
    name: 'requests_per_day',
    limit: String(limit),
    used: String(requests),
    remaining: String(Math.max(0, limit - requests)),
    resets_at: (startMs + dayMs) / 1000,
  };
}
