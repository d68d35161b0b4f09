import { oc } from '@orpc/contract';
import { z } from 'zod';
import {
  otherAmount,
  reportedAccount,
  reportedBalance,
  reportedCredits,
  reportedTransaction,
  reportedTransactions,
} from '../../client/reported.ts';
import { transactionType } from '../../wire/credits.ts';
import { usedLimit } from '../../wire/usage.ts';
import { billingAccount, id, timeMs } from '../common/fields.ts';

export const billingAccountBalance = z.object({
  id: billingAccount,
  /** "Your keys", "Test credits", or the remote account's name, else the address of its gateway. */
  name: z.string(),
  simulated: z.boolean(),
  /** False: it has no keys and nothing was ever booked, so pages do not offer it. */
  used: z.boolean(),
  /** Null: the gateway does not tell. */
  billing: z.enum(['prepaid', 'meter_only']).nullable(),
  /** Null: the key may not read the account, or the gateway does not tell. */
  balance: reportedBalance.nullable(),
  /** The balance where the gateway counts in another currency, or in credits of its own: never converted. */
  otherBalance: otherAmount.nullish(),
});

/** What a request of this app was for. */
export const requestUse = z.object({
  conversationId: id,
  title: z.string(),
  /** The answer; null: it is deleted, or the request was no answer. */
  messageId: id.nullable(),
  /** `chat`, or what else a chat needed: `compact`, `title`, `compare`, `tool`, `retry`. */
  purpose: z.string(),
});

/** A line of the ledger as it is shown. */
export const ledgerLine = reportedTransaction.extend({
  /** The model’s display name. */
  name: z.string().nullable(),
  /** Null: it was no request of this app, or its chat is deleted. */
  use: requestUse.nullable(),
});
export const ledger = reportedCredits.extend({
  transactions: reportedTransactions.extend({ data: z.array(ledgerLine) }),
});

export const accountContract = {
  /** Every wallet with its balance. With a remote gateway there is one, `main`. */
  wallets: oc.output(z.array(billingAccountBalance)),
  /** With a key that may not read the account: what the gateway says of its key, without balance and usage. */
  get: oc.input(z.object({ billingAccount })).output(reportedAccount),
  /** How much of the plan's quotas is used; empty: it has none, or the gateway does not tell. */
  quotas: oc.input(z.object({ billingAccount })).output(z.array(usedLimit)),
};

export const creditsContract = {
  /** Balance and the ledger's lines, newest first. `after` is the last id of the page before; `start` inclusive, `end` exclusive. */
  get: oc
    .input(
      z.object({
        billingAccount,
        limit: z.int().min(1).max(100).default(50),
        after: z.string().max(64).nullish(),
        type: transactionType.nullish(),
        start: timeMs.nullish(),
        end: timeMs.nullish(),
      }),
    )
    .output(ledger),
};

export type RequestUse = z.infer<typeof requestUse>;
export type LedgerLine = z.infer<typeof ledgerLine>;
export type Ledger = z.infer<typeof ledger>;
export type BillingAccountBalance = z.infer<typeof billingAccountBalance>;
