import { expect, onTestFinished, test } from 'vitest';
import { errorCode, openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { testDatabase } from '../../../tests/gateway-doubles/test-database.ts';
import { openLossyPostgres } from '../../../tests/support/lossy-postgres.ts';
import { openDatabase } from '../../storage/open-database.ts';

const requests = 320;
const atOnce = 32;

test('a daily quota costs no extra query, and applies when another instance used it up', async () => {
  const proxy = await openLossyPostgres(await testDatabase());
  onTestFinished(() => proxy.close());
  const gatewayA = await openTestGateway({ database: proxy.url, plan: 'free' });
  const { db } = await openDatabase(proxy.url);
  onTestFinished(() => db.destroy());
  const ask = () => gatewayA.post('/chat', { model: 'sandbox/echo', prompt: 'hi', max_tokens: 9 });
  expect((await ask()).status).toBe(200);
  const rowsRead = proxy.count('from "accounts"');
  for (let count = 0; count < 5; count += 1) expect((await ask()).status).toBe(200);
  expect(rowsRead()).toBe(0);
  await db.updateTable('accounts').set({ day_requests: 200n }).execute();
  // The hold counts exactly and refuses the request. From then on, the quota refuses before the body is read.
  expect(await errorCode(await ask())).toBe('plan_limit_exceeded');
  expect(await errorCode(await gatewayA.post('/chat', { prompt: 1 }))).toBe('plan_limit_exceeded');
  await db.updateTable('accounts').set({ day_requests: 6n }).execute();
  expect((await ask()).status).toBe(200);
});

test('a request under load takes at most three round trips to the database in total', async () => {
  const proxy = await openLossyPostgres(await testDatabase());
  // Registered before the gateway, because cleanups run in reverse order.
  onTestFinished(() => proxy.close());
  const { post } = await openTestGateway({ database: proxy.url, plan: 'enterprise' });
  const ask = () => post('/chat', { model: 'sandbox/echo', prompt: 'hi', max_tokens: 9 });
  expect((await ask()).status).toBe(200);
  const before = proxy.roundTrips();
  let requestCount = 0;
  const client = async () => {
    while (requestCount < requests) {
      requestCount += 1;
      const answer = await ask();
      expect(answer.status).toBe(200);
      await answer.text();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  expect((proxy.roundTrips() - before) / requests).toBeLessThanOrEqual(3);
});
