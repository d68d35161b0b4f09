import { oc } from '@orpc/contract';
import { z } from 'zod';
import { count, usdAmount } from '../../wire/scalars.ts';
import { billingAccount, timeMs, usdLimit } from '../common/fields.ts';
import { billingAccountBalance } from './billing-accounts.ts';

/**
 * How long the balance will last at the current rate. A number is null if it can't be estimated because the history or
 * the balance is missing.
 */
export const outlook = z.object({
  messagesLeft: count.nullable(),
  daysLeft: count.nullable(),
  /** The answered requests behind the estimate, and their cost. */
  basis: z.object({ days: count, requests: count, costUsd: usdAmount }).nullable(),
  /** The balance is low or used up. */
  low: z.boolean(),
});

/** A monthly budget that the user set for their own information. Nothing enforces it. */
export const budget = z.object({
  limitUsd: usdAmount.nullable(),
  /** What all programs of the account spent this month (UTC). Null if the gateway doesn't report it. */
  spentUsd: usdAmount.nullable(),
  /** The fraction of the budget that is spent; 1 is all of it. Null if the budget or the spend is unknown. */
  share: z.number().nullable(),
  /** The month that is counted. */
  start: timeMs,
  end: timeMs,
});

export const fundsContract = {
  outlook: oc.input(z.object({ billingAccount })).output(outlook),
  /**
   * Any account, whether or not it is the one that pays: `main` or `sandbox` of the built-in gateway, or the id of a
   * remote one.
   */
  account: oc.input(z.object({ id: z.string().min(1).max(64) })).output(billingAccountBalance),
  budget: oc.input(z.object({ billingAccount })).output(budget),
  setBudget: oc.input(z.object({ billingAccount, limitUsd: usdLimit })).output(z.void()),
};

export type Outlook = z.infer<typeof outlook>;
export type Budget = z.infer<typeof budget>;
