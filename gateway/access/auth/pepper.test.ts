import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createOperator } from '../../operations/operator/operator-store.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { createTransact } from '../../storage/transact.ts';
import { pepperBeside, peppersFromEnvironment } from './pepper.ts';

async function temporaryDatabase() {
  const directory = mkdtempSync(join(tmpdir(), 'portico-pepper-'));
  const database = join(directory, 'ledger.db');
  const gatewayDb = await openDatabase(database);
  onTestFinished(async () => {
    await gatewayDb.db.destroy();
    rmSync(directory, { recursive: true });
  });
  return { ...gatewayDb, database, file: `${database}.pepper` };
}

const strong = 'x'.repeat(32);

// On Windows a file has no permissions besides those of its folder.
const ownerOnly = process.platform === 'win32' ? 0o666 : 0o600;

test('a SQLite database keeps its secret in a file beside it that only its owner can read', async () => {
  const { database, db, file } = await temporaryDatabase();
  const first = await pepperBeside(database, db);
  expect(await pepperBeside(database, db)).toEqual(first);
  expect(statSync(file).mode & 0o777).toBe(ownerOnly);
});

test('processes that start together agree on one secret', async () => {
  const { database, db } = await temporaryDatabase();
  const all = await Promise.all(Array.from({ length: 8 }, () => pepperBeside(database, db)));
  expect(new Set(all.map(([pepper]) => Buffer.from(pepper).toString('hex'))).size).toBe(1);
});

test('a damaged secret is refused instead of replaced', async () => {
  const { database, db, file } = await temporaryDatabase();
  writeFileSync(file, 'short');
  await expect(pepperBeside(database, db)).rejects.toThrow(/too short.*backup/);
});

test('a lost secret is refused when there are keys that need it', async () => {
  const gatewayDb = await temporaryDatabase();
  const peppers = await pepperBeside(gatewayDb.database, gatewayDb.db);
  const transact = createTransact(gatewayDb);
  const operator = createOperator({ db: gatewayDb.db, transact, peppers, now: Date.now, credentialsChanged: () => {} });
  const { id } = await operator.createAccount({ name: 'A' });
  await operator.createKey({ accountId: id });
  rmSync(gatewayDb.file);
  await expect(pepperBeside(gatewayDb.database, gatewayDb.db)).rejects.toThrow(/it is missing.*backup/);
});

test('the environment has precedence, as a list whose first secret is used for new keys', () => {
  const peppers = peppersFromEnvironment(':memory:', { PORTICO_KEY_PEPPER: `${strong}, ${'y'.repeat(40)}` });
  expect(peppers?.map(String)).toEqual([strong, 'y'.repeat(40)]);
  expect(peppersFromEnvironment('ledger.db', { PORTICO_KEY_PEPPER: ' ' })).toBeNull();
});

test.each(['short', `${strong},short`, `${strong},`])('a weak secret is refused: %j', (value) => {
  expect(() => peppersFromEnvironment(':memory:', { PORTICO_KEY_PEPPER: value })).toThrow(/at least 32 characters/);
});

test('PostgreSQL without a secret is refused, and the error explains what to do', () => {
  expect(() => peppersFromEnvironment('postgres://localhost/x', {})).toThrow(/Set PORTICO_KEY_PEPPER/);
});
