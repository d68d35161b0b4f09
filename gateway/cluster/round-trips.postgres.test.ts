import { expect, onTestFinished, test } from 'vitest';
import { openLossyPostgres } from '../../tests/support/lossy-postgres.ts';
import { openTestGateway } from '../testing/open-test-gateway.ts';
import { testDatabase } from '../testing/test-database.ts';

const requests = 320;
const atOnce = 32;

test('under load a request takes at most three round trips to the database, everything counted', async () => {
  const proxy = await openLossyPostgres(await testDatabase());
  // After the gateway, which is closed by what was registered last.
  onTestFinished(() => proxy.close());
  const { post } = await openTestGateway({ database: proxy.url, plan: 'enterprise' });
  const ask = () => post('/chat', { model: 'sandbox/echo', prompt: 'hi', max_tokens: 9 });
  expect((await ask()).status).toBe(200);
  const before = proxy.roundTrips();
  let asked = 0;
  const client = async () => {
    while (asked < requests) {
      asked += 1;
      const answer = await ask();
      expect(answer.status).toBe(200);
      await answer.text();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  expect((proxy.roundTrips() - before) / requests).toBeLessThanOrEqual(3);
});
