import { onTestFinished } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { openOperator } from '../../gateway/cli/on-database.ts';
import { openDatabase } from '../../gateway/storage/open-database.ts';
import { testDatabase, testPepper } from '../gateway-doubles/test-database.ts';

/** Opens a new ledger for this test with an account that can pay, and functions to read it. */
export async function openWorld() {
  const database = await testDatabase();
  const env = { PORTICO_KEY_PEPPER: testPepper };
  const options = { database, env, now: Date.now, mayCreate: true };
  const { operator, close } = await openOperator(options);
  onTestFinished(close);
  const { id } = await operator.createAccount({ name: 'Load', plan: 'enterprise' });
  await operator.grant({ accountId: id, amount: parseUsd('1000') });
  const { key } = await operator.createKey({ accountId: id });
  const gatewayDb = await openDatabase(database);
  onTestFinished(() => gatewayDb.db.destroy());
  const requests = () => gatewayDb.db.selectFrom('requests').selectAll().execute();
  return { database, env, operator, key, requests, db: gatewayDb.db };
}

export type World = Awaited<ReturnType<typeof openWorld>>;
