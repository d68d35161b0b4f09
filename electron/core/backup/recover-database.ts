import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { renameFileSync } from '#gateway/db/rename-file.ts';
import type { Backup } from '#shared/contract/app/backup.ts';
import { AppError } from '#shared/errors.ts';
import type { DatabaseFault } from '#shared/language/refusal-words.ts';
import { refusal } from '#shared/language/refusals.ts';
import { datedName } from '../db/dated-names.ts';
import { migrations } from '../db/migrations/migrations.ts';
import { attachmentIds } from '../worker/attachment-ids.ts';
import { checkDatabase } from '../worker/check-database.ts';
import { knownDefinitions } from '../worker/known-definitions.ts';
import { backupAttachments } from './backup-attachments.ts';
import { listBackups } from './backup-files.ts';

/** How a start goes on after the database could not be opened. */
export type Recovery = 'newest-backup' | 'new-database';

/** What a person can choose from when the database cannot be opened. */
export interface RecoveryOffer {
  readonly fault: DatabaseFault;
  /** When the newest backup that is intact was made, in milliseconds since the epoch; null where there is none. */
  readonly backupAt: number | null;
}

/** What belongs to a database: changes that are not in the file itself yet, and its index of them. */
const besides = ['', '-wal', '-shm', '-journal'] as const;

const databaseIn = (dataFolder: string) => join(dataFolder, 'portico.db');
const backupsIn = (dataFolder: string) => join(dataFolder, 'backups');

/**
 * Why the database could not be opened, as an error that offers what can be done; the same error where the file is fine. A file of
 * another program that has it open is not at fault.
 */
export async function explainFailure(dataFolder: string, error: unknown): Promise<unknown> {
  const file = databaseIn(dataFolder);
  if (isBusy(error)) return refusal('data_folder_unavailable', 'databaseInUse', { file }, { cause: error });
  const fault = existsSync(file) ? await faultOf(file) : null;
  return fault ? unusable(dataFolder, fault, error) : error;
}

/** A file without a byte would be opened as a new database, and its chats would be gone without a word. */
export async function refuseEmptied(dataFolder: string): Promise<void> {
  const file = databaseIn(dataFolder);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === 0 && !existsSync(`${file}-wal`) && listBackups(backupsIn(dataFolder)).length > 0)
    throw await unusable(dataFolder, 'damaged', null);
}

async function unusable(dataFolder: string, fault: DatabaseFault, cause: unknown): Promise<AppError> {
  const offer: RecoveryOffer = { fault, backupAt: (await newestIntact(dataFolder))?.createdAt ?? null };
  const values = { file: databaseIn(dataFolder), why: fault };
  return refusal('database_unusable', 'databaseUnusable', values, { cause, details: { ...offer } });
}

/** What can be done about an error of a start; null where it is another one. */
export function recoveryOffer(error: unknown): RecoveryOffer | null {
  if (!(error instanceof AppError) || error.code !== 'database_unusable') return null;
  return (error.details as RecoveryOffer | undefined) ?? null;
}

export interface Recovered {
  /** The name that the old file has now, in the data folder; null: there was none. */
  readonly keptAs: string | null;
  readonly backup: string | null;
  readonly missingFiles: number;
}

/**
 * Puts the newest intact backup, or nothing, in the place of the database, which is kept under a name with the time. Broken off at any
 * point, the old file or the new one is there whole. The database must not be open.
 */
export async function recoverDatabase(dataFolder: string, recovery: Recovery, now: number): Promise<Recovered> {
  const file = databaseIn(dataFolder);
  const part = `${file}.part`;
  const backup = recovery === 'newest-backup' ? await newestIntact(dataFolder) : null;
  if (recovery === 'newest-backup' && !backup) throw refusal('backup_unusable', 'noIntactBackup');
  if (backup) copyDurably(join(backupsIn(dataFolder), backup.name), part);
  const keptAs = datedName('unusable', now);
  for (const ending of besides) {
    if (existsSync(file + ending)) renameFileSync(file + ending, join(dataFolder, keptAs + ending));
  }
  if (!backup) return { keptAs, backup: null, missingFiles: 0 };
  renameFileSync(part, file);
  const attachments = backupAttachments(backupsIn(dataFolder), join(dataFolder, 'attachments'));
  return { keptAs, backup: backup.name, missingFiles: await attachments.restore(attachmentIds(file)) };
}

async function newestIntact(dataFolder: string): Promise<Backup | null> {
  const folder = backupsIn(dataFolder);
  for (const backup of listBackups(folder)) if ((await faultOf(join(folder, backup.name))) === null) return backup;
  return null;
}

const faultOf = async (file: string): Promise<DatabaseFault | null> =>
  checkDatabase(file, Object.keys(migrations), 'messages', await knownDefinitions(migrations));

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'SQLITE_BUSY' || error.code === 'SQLITE_LOCKED');

function copyDurably(from: string, to: string): void {
  rmSync(to, { force: true });
  copyFileSync(from, to);
  const handle = openSync(to, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
