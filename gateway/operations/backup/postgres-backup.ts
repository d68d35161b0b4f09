import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, statSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { AppError } from '#shared/errors.ts';
import { checkLedger, type LedgerReport } from '../../ledger/check-ledger.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { renameFileSync } from '../../storage/rename-file.ts';

/**
 * PostgreSQL's own programs make the copy from one snapshot, while the database is served. Throws `invalid_input` when the file
 * exists already or `pg_dump` isn't installed, and `internal_error` with the program's message.
 */
export async function createPostgresBackup(url: string, file: string): Promise<{ readonly bytes: number }> {
  if (existsSync(file)) {
    throw new AppError('invalid_input', `A backup never replaces a file: "${file}" is there. Name another.`);
  }
  const partial = `${file}.partial`;
  try {
    await run('pg_dump', ['--format=custom', '--no-owner', `--file=${partial}`], url);
    // Reads the table of contents, which is at the end: a truncated dump doesn't have one.
    await run('pg_restore', ['--list', partial]);
    renameFileSync(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
  return { bytes: statSync(file).size };
}

/** Fills an empty database in one transaction and checks the ledger. Throws like `createPostgresBackup`. */
export async function restorePostgresBackup(file: string, url: string): Promise<LedgerReport> {
  if (!existsSync(file)) throw new AppError('not_found', `There is no backup "${file}".`);
  await requireEmpty(url);
  await run('pg_restore', ['--single-transaction', '--exit-on-error', '--no-owner', file], url);
  const gatewayDb = await openDatabase(url);
  try {
    return await checkLedger(gatewayDb);
  } finally {
    await gatewayDb.db.destroy();
  }
}

async function requireEmpty(url: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    const { rows } = await client.query("select 1 from pg_tables where schemaname = 'public' limit 1");
    if (rows.length > 0) {
      throw new AppError(
        'invalid_input',
        'A restore never replaces books: this database is not empty. Create another.',
      );
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    const sentence = `The database could not be opened: ${(error as Error).message}.`;
    throw new AppError('internal_error', sentence, { cause: error });
  } finally {
    await client.end();
  }
}

/** The password is passed in the environment, because every user of the machine can see command lines. */
async function run(program: string, words: readonly string[], url?: string): Promise<void> {
  const address = url === undefined ? null : new URL(url);
  const password = address && decodeURIComponent(address.password);
  if (address) address.password = '';
  const target = address ? [`--dbname=${address.href}`] : [];
  const child = spawn(program, [...target, ...words], {
    env: { ...process.env, ...(password ? { PGPASSWORD: password } : {}) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const errorOutput = text(child.stderr);
  const [code] = await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? notInstalled(program) : error;
  });
  if (code !== 0)
    throw new AppError('internal_error', `${program} failed: ${(await errorOutput).trim() || `exit code ${code}`}`);
}

const notInstalled = (program: string) =>
  new AppError(
    'invalid_input',
    `"${program}" is not installed here: it comes with PostgreSQL's client programs (Debian: apt install postgresql-client).`,
  );
