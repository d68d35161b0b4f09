import { existsSync } from 'node:fs';
import type { LedgerReport } from '../ledger/check-ledger.ts';
import { createPostgresBackup, restorePostgresBackup } from '../operations/backup/postgres-backup.ts';
import { type CheckedCopy, createSqliteBackup, restoreSqliteBackup } from '../operations/backup/sqlite-backup.ts';
import { getDialect } from '../storage/open-database.ts';
import type { GatewayCommand, Output } from './gateway-command.ts';
import { reportLines } from './ledger.ts';

export function define(program: GatewayCommand): void {
  const backup = program.command('backup').description('copies of the whole books');
  backup
    .command('create')
    .description('copies the books into a file, while they are served')
    .argument('<FILE>')
    .example('gateway backup create books-2026-11-20.db --db gateway.db')
    .answers(createBackup);
  backup
    .command('restore')
    .description('makes books from a copy, where no database is yet')
    .argument('<FILE>')
    .example('gateway backup restore books-2026-11-20.db --db gateway.db')
    .answers(restoreBackup);
}

/**
 * Copies the ledger. It doesn't open the database itself, which would migrate it: a backup before an upgrade must not upgrade.
 */
async function createBackup(file: string, _options: object, { database }: GatewayCommand): Promise<Output> {
  if (getDialect(database) === 'sqlite') {
    const copy = await createSqliteBackup(database, file);
    return toOutput(`Backup of ${database}`, file, copy, getSecret(database));
  }
  const { bytes } = await createPostgresBackup(database, file);
  const proof = 'Its books are counted again when it is restored.';
  return { lines: [`Backup, ${bytes} bytes. ${proof}`, fromEnvironment, file], json: { file, bytes } };
}

/** Creates a database from a backup, where there is none yet. */
async function restoreBackup(file: string, _options: object, { database }: GatewayCommand): Promise<Output> {
  if (getDialect(database) === 'sqlite') {
    const copy = await restoreSqliteBackup(file, database);
    return toOutput(`Restored ${file}`, database, copy, getSecret(database));
  }
  const report = await restorePostgresBackup(file, database);
  return toOutput(`Restored ${file}`, 'the database', { bytes: null, report }, fromEnvironment);
}

function toOutput(
  what: string,
  written: string,
  { bytes, report }: Omit<CheckedCopy, 'bytes'> & { readonly bytes: number | null },
  secret: string,
): Output {
  const size = bytes === null ? '' : `, ${bytes} bytes`;
  return {
    lines: [`${what}${size}.`, ...proofLines(report), secret, written],
    json: { written, bytes, ok: report?.ok ?? null, sums: report?.sums ?? null },
    failed: report?.ok === false,
  };
}

const proofLines = (report: LedgerReport | null): readonly string[] =>
  report
    ? reportLines(report)
    : ['Its books are of another version than this program, which therefore did not count them again.'];

const fromEnvironment =
  'Keys and tokens work only with the secret in PORTICO_KEY_PEPPER: keep it, apart from the backup.';

function getSecret(database: string): string {
  if (process.env.PORTICO_KEY_PEPPER?.trim()) return fromEnvironment;
  const file = `${database}.pepper`;
  return existsSync(file)
    ? `Keys and tokens work only with the secret in ${file}, which is not in the backup: keep a copy of it, apart.`
    : `No key and no token works before the secret that they were made with is put at ${file}.`;
}
