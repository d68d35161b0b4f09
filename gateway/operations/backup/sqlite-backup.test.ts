import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { openGateway } from '../../open-gateway.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { createSqliteBackup, restoreSqliteBackup } from './sqlite-backup.ts';

async function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'portico-copies-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const database = join(folder, 'ledger.db');
  const { db } = await openDatabase(database);
  await db.destroy();
  return { folder, database, backup: join(folder, 'books.backup'), missing: join(folder, 'missing') };
}

type Folder = Awaited<ReturnType<typeof openFolder>>;

test.each<[string, (folder: Folder) => Promise<unknown>, string, RegExp]>([
  [
    'a backup of a missing database',
    ({ missing, backup }) => createSqliteBackup(missing, backup),
    'not_found',
    /There is no database ".*missing"/,
  ],
  [
    'a backup to an existing file',
    ({ database }) => createSqliteBackup(database, database),
    'invalid_input',
    /A backup never replaces a file: ".*ledger\.db" is there/,
  ],
  [
    'a restore of a missing backup',
    ({ missing, folder }) => restoreSqliteBackup(missing, join(folder, 'new.db')),
    'not_found',
    /There is no backup ".*missing"/,
  ],
  [
    'a restore to an existing database',
    ({ database }) => restoreSqliteBackup(database, database),
    'invalid_input',
    /A restore never replaces books: ".*ledger\.db" is there/,
  ],
  [
    'a restore beside the log of an earlier database',
    ({ database, folder }) => {
      writeFileSync(join(folder, 'new.db-wal'), '');
      return restoreSqliteBackup(database, join(folder, 'new.db'));
    },
    'invalid_input',
    /A restore never replaces books: ".*new\.db-wal" is there/,
  ],
  [
    'a backup of a damaged database',
    ({ database, backup }) => {
      const broken = new Database(database);
      broken.exec('create table checked (amount check (amount > 0)); pragma ignore_check_constraints = on');
      broken.exec('insert into checked values (-1)');
      broken.close();
      return createSqliteBackup(database, backup);
    },
    'internal_error',
    /The copy is damaged: CHECK constraint failed in checked/,
  ],
])('%s is refused, and nothing is written', async (_what, ask, code, sentence) => {
  const folder = await openFolder();
  await expect(ask(folder)).rejects.toMatchObject({ code, message: expect.stringMatching(sentence) });
  expect(existsSync(folder.backup)).toBe(false);
  expect(readdirSync(folder.folder).filter((name) => /partial|new\.db$/.test(name))).toEqual([]);
});

test('a backup of a served database leaves no connection open: its log is removed with its server', async () => {
  const { database, backup } = await openFolder();
  const gateway = await openGateway({ database, env: { PORTICO_KEY_PEPPER: 'x'.repeat(64) }, sandboxPace: 0 });
  const { id } = await gateway.operator.createAccount({ name: 'A' });
  await gateway.operator.grant({ accountId: id, amount: parseUsd('1') });
  await createSqliteBackup(database, backup);
  await gateway.close();
  // SQLite removes the log when the last connection closes.
  expect(existsSync(`${database}-wal`)).toBe(false);
});
