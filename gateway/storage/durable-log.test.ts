import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from './open-database.ts';
import { createTransact } from './transact.ts';

async function openFile() {
  const folder = mkdtempSync(join(tmpdir(), 'portico-books-'));
  const gatewayDb = await openDatabase(join(folder, 'ledger.db'));
  onTestFinished(async () => {
    await gatewayDb.db.destroy();
    rmSync(folder, { recursive: true, force: true });
  });
  const { log } = gatewayDb;
  if (!log) throw new Error('SQLite books have a log');
  const seen: string[] = [];
  const watched = {
    ...gatewayDb,
    log: {
      ...log,
      async sync() {
        seen.push('sync begins');
        await log.sync();
        seen.push('on the disk');
      },
    },
  };
  return { gatewayDb: watched, seen };
}

const account = (id: string) => ({
  id,
  name: 'A',
  email: null,
  plan: 'pro',
  status: 'active' as const,
  created: 0n,
  balance: 0n,
  held: 0n,
  granted: 0n,
  used: 0n,
});

test('nobody is answered before the log is synced, and concurrent commits share one sync', async () => {
  const { gatewayDb, seen } = await openFile();
  const transact = createTransact(gatewayDb);
  await Promise.all(
    ['acct_1', 'acct_2', 'acct_3'].map(async (id) => {
      await transact((trx) => trx.insertInto('accounts').values(account(id)).execute());
      seen.push(`${id} answered`);
    }),
  );
  expect(seen).toEqual(['sync begins', 'on the disk', 'acct_1 answered', 'acct_2 answered', 'acct_3 answered']);
});

test('a failed sync fails every caller that waits for it', async () => {
  const { gatewayDb } = await openFile();
  const broken = { ...gatewayDb.log, sync: () => Promise.reject(new Error('EIO')) };
  const transact = createTransact({ ...gatewayDb, log: broken });
  const write = transact((trx) => trx.insertInto('accounts').values(account('acct_1')).execute());
  await expect(write).rejects.toThrow('EIO');
});
