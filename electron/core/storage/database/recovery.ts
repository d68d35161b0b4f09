import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renameFileSync } from '#gateway/storage/rename-file.ts';
import { AppError } from '#shared/errors.ts';
import type { DatabaseFault } from '#shared/language/refusal-words.ts';

/** How a start goes on after the database could not be opened. */
export type Recovery = 'newest-backup' | 'new-database';

/** What a person can choose from when a database cannot be opened. */
export interface RecoveryOffer {
  readonly of: 'chats' | 'ledger';
  readonly fault: DatabaseFault;
  /** When the newest backup that is intact was made, in milliseconds since the epoch; null where there is none. */
  readonly backupAt: number | null;
}

/** What can be done about an error of a start; null where it is another one. */
export function recoveryOffer(error: unknown): RecoveryOffer | null {
  if (!(error instanceof AppError) || error.code !== 'database_unusable') return null;
  return (error.details as RecoveryOffer | undefined) ?? null;
}

export interface Recovered {
  /** The name that the old file has now, in the data folder. */
  readonly keptAs: string;
  readonly backup: string | null;
  readonly missingFiles: number;
}

/** The newest of these copies, which are newest first, that is intact. */
export async function findIntact<Copy extends { readonly name: string }>(
  folder: string,
  copies: readonly Copy[],
  getFault: (path: string) => Promise<DatabaseFault | null>,
): Promise<Copy | null> {
  for (const copy of copies) if ((await getFault(join(folder, copy.name))) === null) return copy;
  return null;
}

/**
 * What belongs to a database: changes that are not in the file yet, SQLite's index of them, and the ledger's journal. The file itself comes
 * last: as long as it is there the recovery has not begun, and no other file gets its changes.
 */
const endings = ['-wal', '-shm', '-journal', '.steps-0', '.steps-1', ''] as const;

/** Gives a database another name, with all that belongs to it. */
export function setAside(file: string, name: string): string {
  for (const ending of endings) {
    if (existsSync(file + ending)) renameFileSync(file + ending, join(dirname(file), name + ending));
  }
  return name;
}
