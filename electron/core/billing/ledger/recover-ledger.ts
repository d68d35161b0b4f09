import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerBackup } from '#shared/contract/app/ledger.ts';
import { AppError } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';
import { datedName } from '../../storage/database/dated-names.ts';
import {
  findIntact,
  type Recovered,
  type Recovery,
  type RecoveryOffer,
  setAside,
} from '../../storage/database/recovery.ts';
import { faultOfLedger, stageLedger } from '../../worker/ledger-copies.ts';
import { ledgerFolder, listCopies, stagedName } from './ledger-files.ts';

const ledgerIn = (dataFolder: string) => join(dataFolder, 'gateway.db');

function findCopy(dataFolder: string): Promise<LedgerBackup | null> {
  const folder = ledgerFolder(dataFolder);
  return findIntact(folder, listCopies(folder), faultOfLedger);
}

/**
 * Why the ledger could not be opened, as an error that offers what can be done; the same error where it says that itself, as where another
 * server has it open, and where the file is fine.
 */
export async function explainLedgerFailure(dataFolder: string, error: unknown): Promise<unknown> {
  const file = ledgerIn(dataFolder);
  const isTold = error instanceof AppError && error.code !== 'internal_error';
  if (isTold || !existsSync(file)) return error;
  const why = await faultOfLedger(file);
  if (!why) return error;
  const offer: RecoveryOffer = {
    of: 'ledger',
    fault: why,
    backupAt: (await findCopy(dataFolder))?.createdAt ?? null,
  };
  return refusal('database_unusable', 'ledgerUnusable', { file, why }, { cause: error, details: { ...offer } });
}

/**
 * Sets a ledger aside that cannot be opened, and lays its newest intact copy ready, which `finishRestore` puts in its place. Null where
 * the ledger is at no fault.
 */
export async function recoverLedger(dataFolder: string, recovery: Recovery, now: number): Promise<Recovered | null> {
  const file = ledgerIn(dataFolder);
  if (!existsSync(file) || (await faultOfLedger(file)) === null) return null;
  const copy = recovery === 'newest-backup' ? await findCopy(dataFolder) : null;
  if (recovery === 'newest-backup' && !copy) throw refusal('backup_unusable', 'noIntactBackup');
  const folder = ledgerFolder(dataFolder);
  const staged = copy && join(folder, stagedName(copy.name));
  const fault = copy && staged && (await stageLedger(join(folder, copy.name), staged));
  if (fault) throw refusal('backup_unusable', 'backupUnusable', { why: fault });
  return { keptAs: setAside(file, datedName('unusable-ledger', now)), backup: copy?.name ?? null, missingFiles: 0 };
}
