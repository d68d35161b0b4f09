import { type AppError, isDiskFull } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';

/** Why the folder of backups can't be written to. */
export function unwritable(folder: string, cause: unknown): AppError {
  return isDiskFull(cause)
    ? refusal('backup_failed', 'backupDiskFull', { cause })
    : refusal('backup_failed', 'backupFolderClosed', { folder }, { cause });
}
