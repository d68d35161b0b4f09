import { existsSync } from 'node:fs';
import { createPostgresBackup, restorePostgresBackup } from '../backup/postgres-backup.ts';
import { type CheckedCopy, createSqliteBackup, restoreSqliteBackup } from '../backup/sqlite-backup.ts';
import { dialectOf } from '../db/open.ts';
import type { BooksReport } from '../ledger/verify-books.ts';
import { type Output, type ReferenceCommand, referenceCommand, type Words } from './command.ts';
import { defaultDatabase } from './help.ts';
import { reportLines } from './ledger-commands.ts';

/** Copies of the whole books. They open no books by themselves: a backup before an upgrade must not upgrade. */
export const backupCommands: Readonly<Record<string, ReferenceCommand>> = {
  'backup create': referenceCommand(createBackup, { arguments: ['FILE'] }),
  'backup restore': referenceCommand(restoreBackup, { arguments: ['FILE'] }),
};

const databaseOf = ({ option, env }: Words) => option('db') ?? env.PORTICO_DB ?? defaultDatabase;

async function createBackup(words: Words): Promise<Output> {
  const database = databaseOf(words);
  const [file = ''] = words.positionals;
  if (dialectOf(database) === 'sqlite') {
    const copy = await createSqliteBackup(database, file);
    return told(`Backup of ${database}`, file, copy, secretOf(words, database));
  }
  const { bytes } = await createPostgresBackup(database, file);
  const proof = 'Its books are counted again when it is restored.';
  return { lines: [`Backup, ${bytes} bytes. ${proof}`, fromEnvironment, file], json: { file, bytes } };
}

async function restoreBackup(words: Words): Promise<Output> {
  const database = databaseOf(words);
  const [file = ''] = words.positionals;
  if (dialectOf(database) === 'sqlite') {
    const copy = await restoreSqliteBackup(file, database);
    return told(`Restored ${file}`, database, copy, secretOf(words, database));
  }
  const report = await restorePostgresBackup(file, database);
  return told(`Restored ${file}`, 'the database', { bytes: null, report }, fromEnvironment);
}

function told(
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

const proofLines = (report: BooksReport | null): readonly string[] =>
  report
    ? reportLines(report)
    : ['Its books are of another version than this program, which therefore did not count them again.'];

const fromEnvironment =
  'Keys and tokens work only with the secret in PORTICO_KEY_PEPPER: keep it, apart from the backup.';

function secretOf({ env }: Words, database: string): string {
  if (env.PORTICO_KEY_PEPPER?.trim()) return fromEnvironment;
  const file = `${database}.pepper`;
  return existsSync(file)
    ? `Keys and tokens work only with the secret in ${file}, which is not in the backup: keep a copy of it, apart.`
    : `No key and no token works before the secret that they were made with is put at ${file}.`;
}
