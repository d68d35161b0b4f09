import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renameFileSync } from '#gateway/storage/rename-file.ts';
import { AppError } from '#shared/errors.ts';
import type { DatabaseFault } from '#shared/language/refusal-words.ts';

/** How a start continues after the database could not be opened. */
export type Recovery = 'newest-backup' | 'new-database';

/** The options for the user when a database can't be opened. */
export interface RecoveryOffer {
  readonly of: 'chats' | 'ledger';
  readonly fault: DatabaseFault;
  /** When the newest intact backup was made, in milliseconds since the epoch. Null if there is none. */
  readonly backupAt: number | null;
}

/** Returns the options if an error of a start is a damaged database; null for any other error. */
export function recoveryOffer(error: unknown): RecoveryOffer | null {
  if (!(error instanceof AppError) || error.code !== 'database_unusable') return null;
  return (error.details as RecoveryOffer | undefined) ?? null;
}

export interface Recovered {
  /** The old file's new name in the data folder. */
  readonly keptAs: string;
  readonly backup: string | null;
  readonly missingFiles: number;
}

/** Returns the newest intact copy. `copies` must be sorted newest first. */
export async function findIntact<Copy extends { readonly name: string }>(
  folder: string,
  copies: readonly Copy[],
  getFault: (path: string) => Promise<DatabaseFault | null>,
): Promise<Copy | null> {
  for (const copy of copies) if ((await getFault(join(folder, copy.name))) === null) return copy;
  return null;
}

/**
 * The files of a database: SQLite's write-ahead log with its index, SQLite's rollback journal, and the ledger's own
 * write-ahead log. The database file comes last: while it exists the recovery hasn't begun, so the changes can't end up
 * with another database.
 */
const endings = ['-wal', '-shm', '-journal', '.steps-0', '.steps-1', ''] as const;

/** Renames a database with all its files. */
export function setAside(file: string, name: string): string {
  for (const ending of endings) {
    if (existsSync(file + ending)) renameFileSync(file + ending, join(dirname(file), name + ending));
  }
  return name;
}
