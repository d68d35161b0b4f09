import { currentMonth } from '#gateway/ledger/period.ts';
import type { ReportedCredits, ReportedUsage } from '#shared/client/reported.ts';
import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import type { Budget, Outlook } from '#shared/contract/app/funds.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { Connections, Payer } from '../../gateways/connection/connections.ts';
import { ifReported } from '../../gateways/connection/gateway-errors.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import { getPersonCost } from '../costs/cost.ts';

const dayMs = 86_400_000;
/** The outlook is based on the use of the last 30 days. */
const outlookDays = 30;
/** Below either of these, the balance counts as low. */
const lowMessages = 20n;
const lowDays = 2n;
/** A shorter history is enough for the cost of an answer, but not for the cost of a day. */
const minDays = 3;

const unknownOutlook: Outlook = { messagesLeft: null, daysLeft: null, basis: null, low: false };

/**
 * Estimates how long the available credits last, from the average since the first use within the last 30 days. `usage`
 * must be grouped by day. All amounts stay integers, and the results are rounded down.
 */
export function calculateOutlook(credits: ReportedCredits, usage: ReportedUsage | null, now: number): Outlook {
  const available = parseUsd(credits.available ?? credits.balance);
  const empty = { ...unknownOutlook, low: available <= 0n };
  const basis = usage && getBasis(usage, now);
  if (!basis) return empty;
  const cost = parseUsd(basis.costUsd);
  if (cost <= 0n) return { ...empty, basis };
  const left = available > 0n ? available : 0n;
  const messages = (left * BigInt(basis.requests)) / cost;
  const days = basis.days < minDays ? null : (left * BigInt(basis.days)) / cost;
  return {
    messagesLeft: toNumber(messages),
    daysLeft: days === null ? null : toNumber(days),
    basis,
    low: messages < lowMessages || (days !== null && days < lowDays),
  };
}

/** Null if there were no answers in these days, or the gateway can't group by day. */
function getBasis({ data, totals, grouped }: ReportedUsage, now: number): Outlook['basis'] {
  const { requests, succeeded, cost_usd: costUsd } = totals;
  const answered = succeeded ?? requests;
  const used = data.flatMap(({ day, requests: asked }) => (day !== null && asked !== 0 ? [Date.parse(day)] : []));
  if (grouped === false || costUsd === null || !answered || used.length === 0) return null;
  const days = Math.floor(now / dayMs) - Math.floor(Math.min(...used) / dayMs) + 1;
  return { days: Math.min(outlookDays, Math.max(1, days)), requests: answered, costUsd };
}

/** Caps the value, because a `bigint` from the ledger may exceed what a number can hold. */
const toNumber = (value: bigint): number => Number(value < 1_000_000_000n ? value : 1_000_000_000n);

export interface FundsDeps extends CoreContext {
  readonly connections: Pick<Connections, 'billingAccount' | 'byId'>;
  readonly getBillingAccount: (payer: Payer) => Promise<BillingAccountBalance>;
}

const limitMs = 10_000;
const getSetting = ({ source }: Payer): string => `budget.${source}`;

/** Returns how long credits last, the person's own monthly budgets, and the balance of each account. */
export function fundsFeature({ connections, getBillingAccount, settings, changes, now }: FundsDeps) {
  return {
    async outlook({ billingAccount }: { billingAccount: BillingAccount }): Promise<Outlook> {
      const payer = await connections.billingAccount(billingAccount);
      const { billing, balance } = await getBillingAccount(payer);
      if (billing === 'meter_only' || balance === null) return unknownOutlook;
      const signal = AbortSignal.timeout(limitMs);
      const start = Math.floor(now() / 1000) - outlookDays * 86_400;
      const [credits, usage] = await Promise.all([
        ifReported(() => payer.client.credits({ limit: 1 }, { signal })),
        ifReported(() => payer.client.usage({ group_by: 'day', start }, { signal })),
      ]);
      return calculateOutlook(credits ?? getCredits(balance), usage, now());
    },

    account: async ({ id }: { id: string }): Promise<BillingAccountBalance> =>
      getBillingAccount(await connections.byId(id)),

    async budget({ billingAccount }: { billingAccount: BillingAccount }): Promise<Budget> {
      const payer = await connections.billingAccount(billingAccount);
      const { startMs: start, endMs: end } = currentMonth(now());
      const [limitUsd, usage] = await Promise.all([
        settings.readText(getSetting(payer)),
        ifReported(() =>
          payer.client.usage({ start: start / 1000, end: end / 1000 }, { signal: AbortSignal.timeout(limitMs) }),
        ),
      ]);
      const spent = usage?.period ? getPersonCost(usage.totals) : null;
      const spentUsd = spent === null ? null : formatUsd(nanoUsd(spent));
      return { limitUsd, spentUsd, share: getShare(spentUsd, limitUsd), start, end };
    },

    async setBudget({
      billingAccount,
      limitUsd,
    }: {
      billingAccount: BillingAccount;
      limitUsd: string | null;
    }): Promise<void> {
      const setting = getSetting(await connections.billingAccount(billingAccount));
      if (limitUsd === null) await settings.forget(setting);
      else await settings.write(setting, limitUsd);
      changes.emit('caps');
    },
  };
}

const getCredits = ({ amount, ...sums }: NonNullable<BillingAccountBalance['balance']>): ReportedCredits => ({
  object: 'credits',
  ...sums,
  balance: amount,
  transactions: { object: 'list', data: [], first_id: null, last_id: null, has_more: false, reported: false },
});

/** Divides integers, because a float would round the amounts first. */
function getShare(spent: string | null, limit: string | null): number | null {
  if (spent === null || limit === null) return null;
  const limitNano = parseUsd(limit);
  if (limitNano === 0n) return parseUsd(spent) > 0n ? 1 : 0;
  return Number((parseUsd(spent) * 10_000n) / limitNano) / 10_000;
}
