import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openEarlier } from '../../../tests/gateway-doubles/earlier-ledger.ts';

async function openWithRows() {
  const { db, migrator } = await openEarlier('0011-provenance');
  const account = { id: 'acct_1', name: 'A', email: null, plan: 'free', status: 'active' as const, created: 0n };
  await db
    .insertInto('accounts')
    .values({ ...account, balance: 5n, held: 0n, granted: 5n, used: 0n })
    .execute();
  const request = { account_id: 'acct_1', instance_id: 'i', created: 0n, day: '2026-11-20', status: 'failed' as const };
  const metadata = [
    {},
    { client_request_id: 'plain' },
    { other: '\0\ud800', client_request_id: '"quoted"\\"' },
    { note: '","client_request_id":"pretended"' },
    { client_request_id: 'two\nlines' },
  ];
  for (const [index, value] of metadata.entries()) {
    const row = { ...request, id: `req_${index}`, metadata: JSON.stringify(value) };
    await db
      .insertInto('requests')
      .values({ ...row, provider: 'p', model: 'm', byok: 0n, hold: 0n, lease_until: 0n })
      .execute();
  }
  const entry = { id: 'txn_1', account_id: 'acct_1', type: 'grant' as const, amount: 5n, balance_after: 5n };
  await db
    .insertInto('ledger_entries')
    .values({ ...entry, created: 0n, estimated: 0n })
    .execute();
  expect((await migrator.migrateToLatest()).error).toBeUndefined();
  return { db, entry };
}

test('requests written by the previous version are found by the caller’s own id', async () => {
  const { db } = await openWithRows();
  const rows = await db.selectFrom('requests').select('client_request_id').orderBy('id').execute();
  expect(rows.map((row) => row.client_request_id)).toEqual([null, 'plain', '"quoted"\\"', null, 'two\nlines']);
});

test('the ledger stays append-only and the database refuses an unknown entry type', async () => {
  const { db, entry } = await openWithRows();
  expect(await db.selectFrom('ledger_entries').select(['seq', 'id', 'amount']).execute()).toEqual([
    { seq: 1n, id: 'txn_1', amount: 5n },
  ]);
  await expect(db.updateTable('ledger_entries').set({ amount: 6n }).execute()).rejects.toThrow('only ever added');
  await expect(db.deleteFrom('ledger_entries').execute()).rejects.toThrow('only ever added');
  const add = (type: string) =>
    sql`insert into ledger_entries (id, account_id, type, amount, balance_after, created)
      values (${`txn_${type}`}, ${entry.account_id}, ${type}, 1, 6, 0)`.execute(db);
  for (const type of ['gift', 'Grant', '']) await expect(add(type), type).rejects.toThrow('ledger_entry_type');
  for (const type of ['purchase', 'usage', 'refund', 'adjustment', 'expiry', 'byok_fee']) await add(type);
  expect(await db.selectFrom('ledger_entries').select('id').where('seq', '>', 1n).execute()).toHaveLength(6);
});
