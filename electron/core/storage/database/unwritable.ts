import { type AppError, isDiskFull } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';

/** Why nothing can be kept in the folder of backups. */
export function unwritable(folder: string, cause: unknown): AppError {
  return isDiskFull(cause)
    ? refusal('backup_failed', 'backupDiskFull', { cause })
    : refusal('backup_failed', 'backupFolderClosed', { folder }, { cause });
}
