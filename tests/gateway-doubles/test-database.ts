import { join } from 'node:path';
import pg from 'pg';
import { inject, onTestFinished, TestRunner } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server that this run's tests share, and a database on it that is migrated already. Absent: SQLite. */
    readonly postgres: { readonly admin: string; readonly template: string } | null;
  }
}

export const testPepper = 'a secret of more than thirty-two characters';

/** Whether this run is the one on PostgreSQL: `vitest --project postgres`. */
export const onPostgres = (): boolean => Boolean(inject('postgres'));

/** Books that several processes open: a file in this folder, or on this run's server. */
export const sharedDatabase = async (folder: string): Promise<string> =>
  onPostgres() ? testDatabase() : join(folder, 'books.db');

/** What programs on `sharedDatabase` have to be told: a server has no folder to keep a pepper in. */
export const sharedSecrets = (): Record<string, string> => (onPostgres() ? { PORTICO_KEY_PEPPER: testPepper } : {});

/**
 * New books on the engine of this run, empty or, on PostgreSQL, a copy of others that nobody has open; asked for within a test,
 * they are gone after it.
 */
export async function testDatabase(getCopy?: string): Promise<string> {
  const server = inject('postgres');
  if (!server) return ':memory:';
  return createdFrom(server, getCopy === undefined ? server.template : new URL(getCopy).pathname.slice(1));
}

/** A database on this run's server with nothing in it, not even tables. */
export async function emptyDatabase(): Promise<string> {
  const server = inject('postgres');
  if (!server) throw new Error('only a server has databases that are empty');
  return createdFrom(server, 'template0');
}

/** One connection for all tests of this process: a new one costs the server as much as a test does. */
let administrator: pg.Pool | null = null;

function administering(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 1, allowExitOnIdle: true });
  // The server ends before this process does.
  pool.on('error', () => {});
  return pool;
}

async function createdFrom(server: { readonly admin: string }, template: string): Promise<string> {
  const name = `books_${process.pid}_${Math.random().toString(36).slice(2)}`;
  const administer = async (statement: string) => {
    administrator ??= administering(server.admin);
    await administrator.query(statement);
  };
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  // Hundreds of them would take longer to delete at the end than the tests do.
  if (TestRunner.getCurrentTest()) {
    onTestFinished(() => administer(`DROP DATABASE ${name} WITH (FORCE)`));
  }
  const url = new URL(server.admin);
  url.pathname = `/${name}`;
  return url.href;
}
