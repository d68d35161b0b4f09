import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { billingAccount, timeMs } from '../common/fields.ts';

export const ledgerBackup = z.object({
  name: z.string(),
  /** `manual`: the user made it. `before-restore`: a restore saved what it replaced. */
  kind: z.enum(['manual', 'before-restore']),
  createdAt: timeMs,
  bytes: z.int().nonnegative(),
});

const sums = z.object({
  requests: z.int().nonnegative(),
  spentUsd: usdAmount,
  balanceUsd: usdAmount,
});

/** The ledger of a backup compared with the current ledger. */
export const ledgerComparison = z.object({
  accounts: z.array(
    z.object({
      /** Null for an account that was created on the command line. */
      billingAccount: billingAccount.nullable(),
      name: z.string(),
      /** Null if the backup doesn't contain the account. */
      copy: sums.nullable(),
      present: sums.nullable(),
    }),
  ),
  /** Labels of other programs' keys that work now but aren't in the backup, so a restore would lose them. */
  lostKeys: z.array(z.string().nullable()),
});

export const ledgerBackups = z.object({
  folder: z.string(),
  /** Newest first. */
  backups: z.array(ledgerBackup),
});

export const ledgerContract = {
  /** Lists the backups of the built-in gateway's ledger. */
  backups: oc.output(ledgerBackups),
  /**
   * Copies the ledger while it is in use, and recomputes every sum of the copy before the backup gets its final name.
   */
  backUp: oc.output(ledgerBackups),
  /** Deletes a backup. `putBack` can undo this for an hour, as long as the app keeps running. */
  remove: oc.input(z.object({ name: ledgerBackup.shape.name })).output(ledgerBackups),
  putBack: oc.input(z.object({ name: ledgerBackup.shape.name })).output(ledgerBackups),
  compare: oc.input(z.object({ name: ledgerBackup.shape.name })).output(ledgerComparison),
  /**
   * Replaces the ledger by a backup whose sums were recomputed; the current ledger is saved as a backup first. Running
   * answers are stopped. A damaged backup, or one of a newer version, is refused before anything changes.
   */
  restore: oc.input(z.object({ name: ledgerBackup.shape.name })).output(ledgerBackups),
  /** Streams every line of a billing account's ledger, oldest first, as pieces of a file with one line per row. */
  export: oc
    .input(z.object({ billingAccount, format: z.enum(['csv', 'json']) }))
    .output(eventIterator(z.object({ text: z.string() }))),
};

export type LedgerBackups = z.infer<typeof ledgerBackups>;
export type LedgerFormat = 'csv' | 'json';
export type LedgerBackup = z.infer<typeof ledgerBackup>;
export type LedgerComparison = z.infer<typeof ledgerComparison>;
