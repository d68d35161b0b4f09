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
 * Explains why the ledger could not be opened, with an offer of what can be done. Returns the same error if it already
 * explains itself, for example when another server has the ledger open, or if the file is intact.
 */
export async function explainLedgerFailure(dataFolder: string, error: unknown): Promise<unknown> {
  const file = ledgerIn(dataFolder);
  const isExplained = error instanceof AppError && error.code !== 'internal_error';
  if (isExplained || !existsSync(file)) return error;
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
 * Sets a damaged ledger aside and stages its newest intact copy, which `finishRestore` then puts in its place. Null if
 * the ledger is intact.
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
