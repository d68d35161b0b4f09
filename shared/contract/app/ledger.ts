import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { timeMs, wallet } from '../common/fields.ts';

export const ledgerBackup = z.object({ name: z.string(), createdAt: timeMs, bytes: z.int().nonnegative() });

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
  /** Every line of a wallet's ledger, oldest first, in pieces of a file; a row is a line. */
  export: oc
    .input(z.object({ wallet, format: z.enum(['csv', 'json']) }))
    .output(eventIterator(z.object({ text: z.string() }))),
};

export type LedgerBackups = z.infer<typeof ledgerBackups>;
export type LedgerFormat = 'csv' | 'json';
