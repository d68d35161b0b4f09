import { currentMonth } from '#gateway/ledger/period.ts';
import type { ReportedCredits, ReportedUsage } from '#shared/client/reported.ts';
import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import type { Budget, Outlook } from '#shared/contract/app/funds.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { AppError } from '#shared/errors.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { Connections, Payer } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import type { Changes } from '../../runtime/streams/change-topics.ts';
import type { SettingsStore } from '../../storage/settings/settings-store.ts';
import { getPersonCost } from '../costs/person-cost.ts';

const dayMs = 86_400_000;
/** So many days before now are looked at. */
const outlookDays = 30;
/** From here on the balance is low. */
const fewMessages = 20n;
const fewDays = 2n;
/** A shorter history tells what an answer costs, and nothing of a day. */
const fewestDays = 3;

const unknownOutlook: Outlook = { messagesLeft: null, daysLeft: null, basis: null, low: false };

/**
 * How long what is available lasts, by the average of the days since the first use among the last 30. `usage` is
 * grouped by day. Amounts stay integers: what is left is rounded down.
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
  const days = basis.days < fewestDays ? null : (left * BigInt(basis.days)) / cost;
  return {
    messagesLeft: toNumber(messages),
    daysLeft: days === null ? null : toNumber(days),
    basis,
    low: messages < fewMessages || (days !== null && days < fewDays),
  };
}

/** Null: nothing was asked in these days, or the gateway does not report it by day. */
function getBasis({ data, totals, grouped }: ReportedUsage, now: number): Outlook['basis'] {
  const { requests, succeeded, cost_usd: costUsd } = totals;
  const answered = succeeded ?? requests;
  const used = data.flatMap(({ day, requests: asked }) => (day !== null && asked !== 0 ? [Date.parse(day)] : []));
  if (grouped === false || costUsd === null || !answered || used.length === 0) return null;
  const days = Math.floor(now / dayMs) - Math.floor(Math.min(...used) / dayMs) + 1;
  return { days: Math.min(outlookDays, Math.max(1, days)), requests: answered, costUsd };
}

/** More than anybody counts is said as that much. */
const toNumber = (value: bigint): number => Number(value < 1_000_000_000n ? value : 1_000_000_000n);

export interface FundsDeps {
  readonly connections: Pick<Connections, 'billingAccount' | 'byId'>;
  readonly getBillingAccount: (payer: Payer) => Promise<BillingAccountBalance>;
  readonly store: Pick<SettingsStore, 'readText' | 'write' | 'forget'>;
  readonly changes: Changes;
  readonly now: () => number;
}

const limitMs = 10_000;
const getSetting = ({ source }: Payer): string => `budget.${source}`;

/** How long credits last, budgets of the person's own, and the balance of every account. */
export function fundsFeature({ connections, getBillingAccount, store, changes, now }: FundsDeps) {
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
        store.readText(getSetting(payer)),
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
      if (limitUsd === null) await store.forget(setting);
      else await store.write(setting, limitUsd);
      changes.emit('caps');
    },
  };
}

/** Null: the gateway does not report it, or not to this credential. */
async function ifReported<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await askGateway(call);
  } catch (error) {
    if (error instanceof AppError && (error.code === 'not_reported' || error.code === 'insufficient_scope'))
      return null;
    throw error;
  }
}

const getCredits = ({ amount, ...sums }: NonNullable<BillingAccountBalance['balance']>): ReportedCredits => ({
  object: 'credits',
  ...sums,
  balance: amount,
  transactions: { object: 'list', data: [], first_id: null, last_id: null, has_more: false, reported: false },
});

/** With integers, since a float would round the amounts first. */
function getShare(spent: string | null, limit: string | null): number | null {
  if (spent === null || limit === null) return null;
  const whole = parseUsd(limit);
  if (whole === 0n) return parseUsd(spent) > 0n ? 1 : 0;
  return Number((parseUsd(spent) * 10_000n) / whole) / 10_000;
}
