import { type RawBuilder, sql } from 'kysely';
import { AppError } from '#shared/errors.ts';
import { formatUsd, type NanoUsd, nanoUsd } from '#shared/money.ts';
import { planOf, plans } from '../auth/plans.ts';
import type { Principal } from '../auth/principal.ts';
import type { BooksDb } from '../db/open.ts';
import type { AccountRow } from '../db/schema.ts';
import { currentMonth, dayMs } from './period.ts';
import { dayOf } from './usage-counters.ts';

/**
 * The quotas of plans (wire contract §7): requests a day and money a month. They are conditions of the statement that
 * reserves, so that any number of requests at once cannot pass them together.
 */

export const monthOf = (day: string): string => day.slice(0, 7);

const meterOnly = plans.filter((plan) => plan.billing === 'meter_only').map((plan) => plan.id);

/** A plan's limit in SQL; a plan without one is as good as unlimited. */
function limitOf(limits: readonly (readonly [plan: string, limit: bigint | null])[]): RawBuilder<bigint> {
  const cases = limits.flatMap(([plan, limit]) =>
    limit === null ? [] : [sql`when ${sql.lit(plan)} then ${sql.raw(String(limit))}`],
  );
  return sql<bigint>`case plan ${sql.join(cases, sql` `)} else 9223372036854775807 end`;
}

const dayLimit = limitOf(
  plans.map(({ id, requestsPerDay }) => [id, requestsPerDay === null ? null : BigInt(requestsPerDay)]),
);
const monthLimit = limitOf(plans.map(({ id, monthlySpend }) => [id, monthlySpend]));

/** What was charged in this month so far. */
export const monthUsed = (month: string) => sql<bigint>`case when month = ${month} then month_used else 0 end`;

/** Whether one more request may begin today. */
export const mayOpen = (day: string) => sql<boolean>`case when day = ${day} then day_requests else 0 end < ${dayLimit}`;

/** Whether balance and monthly quota cover an amount. Nothing to reserve is never refused (own keys, free models). */
export const mayHold = (amount: bigint, month: string) =>
  sql<boolean>`(cast(${amount} as bigint) = 0 or (
    ${monthUsed(month)} + held + ${amount} <= ${monthLimit}
    and (plan in (${sql.join(meterOnly.map((id) => sql.lit(id)))}) or balance - held >= ${amount})
  ))`;

/**
 * Refuses a request whose plan's day is used up before anything of it is read: 403 comes before 429 and 400 (§3.3). Only
 * the hold counts exactly. The month is left to it altogether: whether a request costs the account anything is not known yet.
 */
export async function requireDayQuota(db: BooksDb, { accountId, plan }: Principal, now: number): Promise<void> {
  if (plan.requestsPerDay === null) return;
  const row = await db.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow();
  const refusal = quotaRefusal(row, 0n, now);
  if (refusal) throw refusal;
}

type Counted = Pick<AccountRow, 'plan' | 'held' | 'day' | 'day_requests' | 'month' | 'month_used'>;

/** The quota that refuses a request of this amount now, or null. */
export const quotaRefusal = (account: Counted, amount: bigint, now: number): AppError | null =>
  dayRefusal(account, now) ?? monthRefusal(account, amount, now);

function dayRefusal(account: Counted, now: number): AppError | null {
  const plan = planOf(account.plan);
  const limit = plan.requestsPerDay;
  if (limit === null || account.day !== dayOf(now) || account.day_requests < BigInt(limit)) return null;
  const resetsAt = (now - (now % dayMs) + dayMs) / 1000;
  return exceeded('requests_per_day', String(limit), `${limit} requests a day`, resetsAt);
}

/** The month's quota alone: what is reserved later for a request that was counted before. */
export function monthRefusal(account: Counted, amount: bigint, now: number): AppError | null {
  const plan = planOf(account.plan);
  if (plan.monthlySpend === null || amount === 0n) return null;
  const used = account.month === monthOf(dayOf(now)) ? account.month_used : 0n;
  if (used + account.held + amount <= plan.monthlySpend) return null;
  return monthExceeded(plan.monthlySpend, nanoUsd(used), currentMonth(now).endMs / 1000);
}

function monthExceeded(limit: NanoUsd, used: NanoUsd, resetsAt: number): AppError {
  const text = formatUsd(limit);
  return exceeded('monthly_spend_usd', text, `$${text} a month, of which $${formatUsd(used)} are used`, resetsAt);
}

const exceeded = (name: string, limit: string, what: string, resetsAt: number) =>
  new AppError(
    'plan_limit_exceeded',
    `The plan allows ${what}. The quota starts anew at ${new Date(resetsAt * 1000).toISOString()}.`,
    { details: { limit: name, limit_value: limit, resets_at: resetsAt } },
  );
