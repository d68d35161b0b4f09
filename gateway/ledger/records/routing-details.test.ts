import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { requestRecord } from '#shared/wire/request-record.ts';
import { testNow } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { onPostgres, sharedDatabase, testPepper } from '../../../tests/gateway-doubles/test-database.ts';
import { allScopes } from '../../access/auth/scopes.ts';
import { openGateway } from '../../open-gateway.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { dayMs } from '../period.ts';

async function openDatabaseFor() {
  const folder = mkdtempSync(join(tmpdir(), 'portico-details-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const database = await sharedDatabase(folder);
  const open = (now: number, routingDetailDays: number | null) => {
    const env = { PORTICO_KEY_PEPPER: testPepper };
    return openGateway({ database, env, sandboxPace: 0, now: () => now, routingDetailDays });
  };
  const first = await open(testNow, null);
  const account = await first.operator.createAccount({ name: 'A', plan: 'enterprise' });
  await first.operator.grant({ accountId: account.id, amount: parseUsd('1') });
  const { key } = await first.operator.createKey({ accountId: account.id, scopes: allScopes });
  await first.close();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const ask = async (gateway: typeof first, model: string) => {
    const body = JSON.stringify({ model, provider: 'sandbox', prompt: 'hi' });
    const answer = await gateway.fetch(new Request('http://127.0.0.1/chat', { method: 'POST', headers, body }));
    expect(answer.status).toBe(200);
    await answer.text();
    return answer.headers.get('x-request-id') ?? '';
  };
  const routing = async (gateway: typeof first, id: string) => {
    const answer = await gateway.fetch(new Request(`http://127.0.0.1/v1/requests/${id}`, { headers }));
    return requestRecord.parse(await answer.json()).routing;
  };
  return { database, open, ask, routing };
}

test('an old routing decision is shortened once, and younger ones stay complete', async () => {
  const { database, open, ask, routing } = await openDatabaseFor();
  const before = await open(testNow, null);
  const old: string[] = [];
  for (let index = 0; index < 45; index += 1) old.push(await ask(before, index % 3 === 0 ? 'sandbox/echo' : 'router'));
  const complete = await Promise.all(old.map((id) => routing(before, id)));
  expect(complete.filter((sweeping) => sweeping?.candidates)).toHaveLength(30);
  await before.close();

  const later = testNow + 8 * dayMs;
  const keeping = await open(later, null);
  const young = await ask(keeping, 'router');
  await keeping.close();
  // Two instances at once, on PostgreSQL.
  const instances = [await open(later, 7), ...(onPostgres() ? [await open(later, 7)] : [])];
  const [sweeping] = instances;
  if (!sweeping) throw new Error('nothing was opened');
  await expect.poll(async () => (await routing(sweeping, old.at(-1) ?? ''))?.candidates).toBeUndefined();
  for (const [index, id] of old.entries()) {
    const { candidates: _candidates, ...short } = complete[index] ?? { candidates: [] };
    expect(await routing(sweeping, id)).toEqual(short);
  }
  expect((await routing(sweeping, young))?.candidates).not.toHaveLength(0);
  expect((await sweeping.operator.checkLedger()).ok).toBe(true);
  for (const instance of instances) await instance.close();

  const { db } = await openDatabase(database);
  onTestFinished(() => db.destroy());
  expect(await db.selectFrom('sweep_progress').selectAll().execute()).toEqual([
    { task: 'routing_details', reached: old.at(-1) },
  ]);
});
