import { afterAll, beforeAll, expect, test } from 'vitest';
import { postgresPrograms, startPostgres, type TestPostgres } from '../../tests/gateway-doubles/start-postgres.ts';
import { type OpenDatabase, openDatabase } from './open-database.ts';
import { createTransact } from './transact.ts';

let postgres: TestPostgres;
let gatewayDb: OpenDatabase;
beforeAll(async () => {
  const programs = postgresPrograms();
  if (!programs) throw new Error('PostgreSQL is not installed');
  postgres = await startPostgres(programs);
  gatewayDb = await openDatabase(await postgres.createDatabase());
  const account = { plan: 'pro', email: null, status: 'active' as const, created: 0n };
  const money = { balance: 0n, held: 0n, granted: 0n, used: 0n };
  for (const id of ['a', 'b']) {
    await gatewayDb.db
      .insertInto('accounts')
      .values({ id, name: id, ...account, ...money })
      .execute();
  }
});
afterAll(async () => {
  await gatewayDb.db.destroy();
  await postgres.stop();
});

test('a transaction that PostgreSQL rolls back because of a deadlock runs again', async () => {
  const transact = createTransact(gatewayDb);
  const met = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() };
  let runs = 0;
  const grantBoth = (first: 'a' | 'b', second: 'a' | 'b') =>
    transact(async (trx) => {
      runs += 1;
      const add = (id: string) =>
        trx
          .updateTable('accounts')
          .set((row) => ({ granted: row('granted', '+', 1n) }))
          .where('id', '=', id)
          .execute();
      await add(first);
      met[first].resolve();
      // Each holds the row that the other one needs next, which is a deadlock.
      await met[second].promise;
      await add(second);
    });
  await Promise.all([grantBoth('a', 'b'), grantBoth('b', 'a')]);
  // On a busy machine, more than one is rolled back now and then.
  expect(runs).toBeGreaterThanOrEqual(3);
  const rows = await gatewayDb.db.selectFrom('accounts').select('granted').execute();
  expect(rows.map(({ granted }) => granted)).toEqual([2n, 2n]);
});
