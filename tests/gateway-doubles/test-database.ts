import { join } from 'node:path';
import pg from 'pg';
import { inject, onTestFinished, TestRunner } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server that this run's tests share, and a migrated database on it. Null means SQLite. */
    readonly postgres: { readonly admin: string; readonly template: string } | null;
  }
}

export const testPepper = 'a secret of more than thirty-two characters';

/** Returns whether this is the run on PostgreSQL: `vitest --project postgres`. */
export const onPostgres = (): boolean => Boolean(inject('postgres'));

/** Returns a database that several processes can open: a file in this folder, or a database on this run's server. */
export const sharedDatabase = async (folder: string): Promise<string> =>
  onPostgres() ? testDatabase() : join(folder, 'ledger.db');

/**
 * Returns the secrets that programs on `sharedDatabase` need. With SQLite they store a pepper beside the file, but with
 * a server there's no folder for it.
 */
export const sharedSecrets = (): Record<string, string> => (onPostgres() ? { PORTICO_KEY_PEPPER: testPepper } : {});

/**
 * Creates a ledger on the engine of this run: empty, or on PostgreSQL a copy of another one that nobody has open. If
 * created within a test, it's deleted after it.
 */
export async function testDatabase(getCopy?: string): Promise<string> {
  const server = inject('postgres');
  if (!server) return ':memory:';
  return createdFrom(server, getCopy === undefined ? server.template : new URL(getCopy).pathname.slice(1));
}

/** Creates a database on this run's server without any tables. */
export async function emptyDatabase(): Promise<string> {
  const server = inject('postgres');
  if (!server) throw new Error('only a server has databases that are empty');
  return createdFrom(server, 'template0');
}

/** All tests of this process share one connection: a new one costs the server as much time as a test does. */
let administrator: pg.Pool | null = null;

function administering(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 1, allowExitOnIdle: true });
  // The server ends before this process does, which breaks idle connections.
  pool.on('error', () => {});
  return pool;
}

async function createdFrom(server: { readonly admin: string }, template: string): Promise<string> {
  const name = `ledger_${process.pid}_${Math.random().toString(36).slice(2)}`;
  const administer = async (statement: string) => {
    administrator ??= administering(server.admin);
    await administrator.query(statement);
  };
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  // Each is deleted after its test, because deleting hundreds at the end would take longer than the tests.
  if (TestRunner.getCurrentTest()) {
    onTestFinished(() => administer(`DROP DATABASE ${name} WITH (FORCE)`));
  }
  const url = new URL(server.admin);
  url.pathname = `/${name}`;
  return url.href;
}
