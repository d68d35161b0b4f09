import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renameFileSync } from '#gateway/storage/rename-file.ts';
import type { Backup } from '#shared/contract/app/backup.ts';
import type { AppError } from '#shared/errors.ts';
import type { DatabaseFault } from '#shared/language/refusal-words.ts';
import { refusal } from '#shared/language/refusals.ts';
import { datedName } from '../storage/database/dated-names.ts';
import {
  findIntact,
  type Recovered,
  type Recovery,
  type RecoveryOffer,
  setAside,
} from '../storage/database/recovery.ts';
import { attachmentIds } from '../worker/attachment-ids.ts';
import { faultOfChats } from '../worker/check-database.ts';
import { findUnreadableRow } from '../worker/unreadable-row.ts';
import { backupAttachments, copyDurably } from './backup-attachments.ts';
import { listBackups } from './backup-files.ts';

const databaseIn = (dataFolder: string) => join(dataFolder, 'portico.db');
const stagedIn = (dataFolder: string) => join(dataFolder, 'portico.db.part');
const backupsIn = (dataFolder: string) => join(dataFolder, 'backups');

/** Checks every page of the database. Returns null if it is intact or doesn't exist. */
async function findFault(dataFolder: string): Promise<DatabaseFault | null> {
  const file = databaseIn(dataFolder);
  return existsSync(file) ? faultOfChats(file) : null;
}

/**
 * Explains why the database could not be opened: returns an error that offers what can be done. Returns the same error
 * if the file is intact. A file that another program has open isn't treated as damaged.
 */
export async function explainFailure(dataFolder: string, error: unknown): Promise<unknown> {
  if (isBusy(error))
    return refusal('data_folder_unavailable', 'databaseInUse', { file: databaseIn(dataFolder) }, { cause: error });
  const fault = await findFault(dataFolder);
  return fault ? unusable(dataFolder, fault, error) : error;
}

/**
 * SQLite would open a file without content as a new database, and the chats would silently be gone. Returns true if there is such a file
 * and no backup to offer.
 */
export async function refuseEmptied(dataFolder: string): Promise<boolean> {
  const file = databaseIn(dataFolder);
  const found = statSync(file, { throwIfNoEntry: false });
  // Windows, and some file systems, report a size of zero for folders too.
  if (!found?.isFile() || found.size > 0 || existsSync(`${file}-wal`)) return false;
  if (listBackups(backupsIn(dataFolder)).length > 0) throw await unusable(dataFolder, 'damaged', null);
  return true;
}

const suspicionIn = (dataFolder: string) => join(dataFolder, 'portico.db.suspect');

/**
 * Records that a call found damage. The next start then checks every page, which takes seconds and is therefore not
 * done at every start.
 */
export function suspectDamage(dataFolder: string): void {
  try {
    writeFileSync(suspicionIn(dataFolder), '');
  } catch {
    // If nothing can be written, the call's own error has to suffice.
  }
}

/** Refuses the database if an earlier run suspected damage and the check confirms it. */
export async function refuseDamaged(dataFolder: string): Promise<void> {
  if (!existsSync(suspicionIn(dataFolder))) return;
  const fault = await findFault(dataFolder);
  if (fault) throw await unusable(dataFolder, fault, null);
  rmSync(suspicionIn(dataFolder));
}

async function unusable(dataFolder: string, fault: DatabaseFault, cause: unknown): Promise<AppError> {
  const offer: RecoveryOffer = { of: 'chats', fault, backupAt: (await findBackup(dataFolder))?.createdAt ?? null };
  const values = { file: databaseIn(dataFolder), why: fault };
  return refusal('database_unusable', 'databaseUnusable', values, { cause, details: { ...offer } });
}

/**
 * Replaces the database by the newest intact backup, or by an empty one. The old file is kept under a name with the
 * time. If the process ends during this, the next start finishes it. The database must not be open. Returns null if the
 * database is intact.
 */
export async function recoverDatabase(dataFolder: string, recovery: Recovery, now: number): Promise<Recovered | null> {
  const file = databaseIn(dataFolder);
  if ((await findFault(dataFolder)) === null) return null;
  const backup = recovery === 'newest-backup' ? await findBackup(dataFolder) : null;
  if (recovery === 'newest-backup' && !backup) throw refusal('backup_unusable', 'noIntactBackup');
  if (backup) await copyDurably(join(backupsIn(dataFolder), backup.name), stagedIn(dataFolder));
  const keptAs = setAside(file, datedName('unusable', now));
  return { keptAs, backup: backup?.name ?? null, missingFiles: await finishRecovery(dataFolder) };
}

/**
 * Puts a staged backup in the place of a database that was set aside. If the database still exists, the staged file is
 * left from an interrupted copy. Returns how many attachments the backup lacks.
 */
export async function finishRecovery(dataFolder: string): Promise<number> {
  const [file, staged] = [databaseIn(dataFolder), stagedIn(dataFolder)];
  if (!existsSync(staged)) return 0;
  if (existsSync(file)) {
    rmSync(staged);
    return 0;
  }
  renameFileSync(staged, file);
  const attachments = backupAttachments(backupsIn(dataFolder), join(dataFolder, 'attachments'));
  return attachments.restore(attachmentIds(file));
}

function findBackup(dataFolder: string): Promise<Backup | null> {
  const folder = backupsIn(dataFolder);
  return findIntact(
    folder,
    listBackups(folder),
    async (path) => (await faultOfChats(path)) ?? (findUnreadableRow(path) ? 'foreign' : null),
  );
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'SQLITE_BUSY' || error.code === 'SQLITE_LOCKED');
