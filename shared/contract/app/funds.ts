import { oc } from '@orpc/contract';
import { z } from 'zod';
import { count, usdAmount } from '../../wire/scalars.ts';
import { billingAccount, timeMs, usdLimit } from '../common/fields.ts';
import { billingAccountBalance } from './billing-accounts.ts';

/** How long the balance lasts at the pace of the last days. Null: not known, for lack of a history or of a balance. */
export const outlook = z.object({
  messagesLeft: count.nullable(),
  daysLeft: count.nullable(),
  /** What it was worked out from: requests that were answered, and what they cost. */
  basis: z.object({ days: count, requests: count, costUsd: usdAmount }).nullable(),
  /** There is little left, or nothing. */
  low: z.boolean(),
});

/** A budget of the person's own, which nobody enforces. */
export const budget = z.object({
  limitUsd: usdAmount.nullable(),
  /** Of this month (UTC), by all programs of the account; null: the gateway does not report it. */
  spentUsd: usdAmount.nullable(),
  /** Of the budget that is spent, from 0 on; null: one of both is not known. */
  share: z.number().nullable(),
  /** The month that it counts. */
  start: timeMs,
  end: timeMs,
});

export const fundsContract = {
  outlook: oc.input(z.object({ billingAccount })).output(outlook),
  /** Any account, whichever pays: `main` or `sandbox` of the built-in gateway, or the id of one elsewhere. */
  account: oc.input(z.object({ id: z.string().min(1).max(64) })).output(billingAccountBalance),
  budget: oc.input(z.object({ billingAccount })).output(budget),
  setBudget: oc.input(z.object({ billingAccount, limitUsd: usdLimit })).output(z.void()),
};

export type Outlook = z.infer<typeof outlook>;
export type Budget = z.infer<typeof budget>;
