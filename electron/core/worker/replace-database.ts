import Sqlite from 'better-sqlite3';

/** All pages at once: nobody writes between two halves of another state. */
const allPages = 2 ** 31 - 1;

/**
 * Puts the content of one database file into another that is in use: one transaction for everyone who has it open.
 * Runs in the worker, so that a writer of the main thread waits for it instead of in its way.
 */
export async function replaceDatabase(from: string, to: string): Promise<void> {
  const source = new Sqlite(from, { readonly: true, fileMustExist: true });
  try {
    await source.backup(to, { progress: () => allPages });
  } finally {
    source.close();
  }
}
