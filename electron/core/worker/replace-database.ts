import Sqlite from 'better-sqlite3';

/** All pages in one step, so that nobody can write in between. */
const allPages = 2 ** 31 - 1;

/**
 * Copies one database file into another that is in use: one transaction for everyone who has it open. Runs in the
 * worker, so that writers on the core’s thread wait for it instead of blocking it.
 */
export async function replaceDatabase(from: string, to: string): Promise<void> {
  const source = new Sqlite(from, { readonly: true, fileMustExist: true });
  try {
    await source.backup(to, { progress: () => allPages });
  } finally {
    source.close();
  }
}
