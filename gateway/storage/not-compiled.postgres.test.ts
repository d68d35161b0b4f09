import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { testDatabase } from '../../tests/gateway-doubles/test-database.ts';
import { openDatabase } from './open-database.ts';

const everyCost = 'SET jit_above_cost = 0';
const report = 'EXPLAIN (ANALYZE) SELECT count(*) FROM accounts WHERE balance > 0';
const getPlan = (rows: readonly Record<string, unknown>[]) => rows.map((row) => row['QUERY PLAN']).join('\n');

test('PostgreSQL compiles none of the gateway’s statements, however expensive it estimates them', async (context) => {
  const url = await testDatabase();
  const other = new pg.Client(url);
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(everyCost);
  context.skip(!getPlan((await other.query(report)).rows).includes('JIT:'), 'this server has no compiler');

  const { db } = await openDatabase(url);
  onTestFinished(() => db.destroy());
  const plan = await db.connection().execute(async (singleConnection) => {
    await sql.raw(everyCost).execute(singleConnection);
    return getPlan((await sql.raw<Record<string, unknown>>(report).execute(singleConnection)).rows);
  });
  expect(plan).toContain('Execution Time');
  expect(plan).not.toContain('JIT:');
});
