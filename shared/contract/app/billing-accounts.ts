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
  /** "Your keys", "Test credits", or the name of a remote account (its gateway's address if it has no name). */
  name: z.string(),
  simulated: z.boolean(),
  /** False if the account has no keys and no transactions, so pages don't offer it. */
  used: z.boolean(),
  /** Null if the gateway doesn't report it. */
  billing: z.enum(['prepaid', 'meter_only']).nullable(),
  /** Null if the gateway doesn't report it or the key may not read the account. */
  balance: reportedBalance.nullable(),
  /** The balance of a gateway that counts in another currency or in its own credits. It is never converted to USD. */
  otherBalance: otherAmount.nullish(),
  /** Of a metered account: requests of unknown cost, which what was spent leaves out. */
  unknown: z.int().default(0),
});

/** What this app made the request for. */
export const requestUse = z.object({
  conversationId: id,
  title: z.string(),
  /** The answer that the request was for. Null if the answer is deleted or the request had another purpose. */
  messageId: id.nullable(),
  /** `chat`, or another purpose within a chat: `compact`, `title`, `compare`, `tool`, `retry`. */
  purpose: z.string(),
});

/** A ledger line with what the app knows about its request. */
export const ledgerLine = reportedTransaction.extend({
  /** The model’s display name. */
  name: z.string().nullable(),
  /** Null if another program made the request or its chat is deleted. */
  use: requestUse.nullable(),
});
export const ledger = reportedCredits.extend({
  transactions: reportedTransactions.extend({ data: z.array(ledgerLine) }),
});

export const accountContract = {
  /** Every billing account with its balance. A remote gateway has only one, `main`. */
  wallets: oc.output(z.array(billingAccountBalance)),
  /**
   * Returns the account. With a key that may not read the account, returns what the gateway reports about the key,
   * without balance and usage.
   */
  get: oc.input(z.object({ billingAccount })).output(reportedAccount),
  /** How much of each quota of the plan is used. Empty if there are no quotas or the gateway doesn't report them. */
  quotas: oc.input(z.object({ billingAccount })).output(z.array(usedLimit)),
};

export const creditsContract = {
  /**
   * The balance and the ledger's lines, newest first. `after` is the last id of the previous page; `start` is
   * inclusive, `end` exclusive.
   */
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
