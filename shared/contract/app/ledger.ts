import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { billingAccount, timeMs } from '../common/fields.ts';

export const ledgerBackup = z.object({
  name: z.string(),
  /** By hand, or what a restore has replaced. */
  kind: z.enum(['manual', 'before-restore']),
  createdAt: timeMs,
  bytes: z.int().nonnegative(),
});

const sums = z.object({
  requests: z.int().nonnegative(),
  spentUsd: usdAmount,
  balanceUsd: usdAmount,
});

/** What the books of a copy say beside the present ones. */
export const ledgerComparison = z.object({
  accounts: z.array(
    z.object({
      /** Null: an account that a command has made. */
      billingAccount: billingAccount.nullable(),
      name: z.string(),
      /** Null: it does not know the account. */
      copy: sums.nullable(),
      present: sums.nullable(),
    }),
  ),
  /** Keys of other programs that work now, by their labels, and that the copy does not know. */
  lostKeys: z.array(z.string().nullable()),
});

export const ledgerBackups = z.object({
  folder: z.string(),
  /** Newest first. */
  backups: z.array(ledgerBackup),
});

export const ledgerContract = {
  /** Copies of the embedded gateway's books. */
  backups: oc.output(ledgerBackups),
  /** Copies the books while they are in use, and counts every sum of the copy again before it gets its name. */
  backUp: oc.output(ledgerBackups),
  /** Deletes a copy; for an hour, as long as the app runs, it can be put back. */
  remove: oc.input(z.object({ name: ledgerBackup.shape.name })).output(ledgerBackups),
  putBack: oc.input(z.object({ name: ledgerBackup.shape.name })).output(ledgerBackups),
  compare: oc.input(z.object({ name: ledgerBackup.shape.name })).output(ledgerComparison),
  /**
   * Puts a copy, counted again, in the place of the books, which become a copy themselves. Answers that run are stopped. A copy that
   * is damaged, or of a newer version, is refused before anything changes.
   */
  restore: oc.input(z.object({ name: ledgerBackup.shape.name })).output(ledgerBackups),
  /** Every line of a wallet's ledger, oldest first, in pieces of a file; a row is a line. */
  export: oc
    .input(z.object({ billingAccount, format: z.enum(['csv', 'json']) }))
    .output(eventIterator(z.object({ text: z.string() }))),
};

export type LedgerBackups = z.infer<typeof ledgerBackups>;
export type LedgerFormat = 'csv' | 'json';
export type LedgerBackup = z.infer<typeof ledgerBackup>;
export type LedgerComparison = z.infer<typeof ledgerComparison>;
