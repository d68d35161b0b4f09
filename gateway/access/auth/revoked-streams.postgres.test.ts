import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { expectEnded, openHanging, stream } from '../../../tests/gateway-doubles/hanging-stream.ts';
import { openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { testDatabase } from '../../../tests/gateway-doubles/test-database.ts';
import { allScopes } from './scopes.ts';

/** Opens two gateways on one database: streams run on one, and credentials are revoked on the other. */
async function openTwo() {
  const database = await testDatabase();
  const one = await openTestGateway({ database });
  const two = await openHanging({ database });
  return { database, one, two };
}

test('a key or token that is revoked on one instance ends its streams on another', async () => {
  const { one, two } = await openTwo();
  const { operator } = one.gateway;
  const user = await operator.createUser({ accountId: one.account.id, name: 'Ada' });
  const issued = await operator.issueToken({ userId: user.id, scopes: ['chat'], lifetimeS: 60 });
  const reader = await operator.createKey({ accountId: one.account.id, scopes: allScopes });
  const byKey = await stream(two, one.key);
  const bySession = await stream(two, issued.token);
  await operator.revokeTokens(issued.id);
  await expectEnded(two, bySession, 'invalid_token', reader.key);
  await operator.revokeKey(one.keyId);
  await expectEnded(two, byKey, 'invalid_api_key', reader.key);
});

test('a key revoked on one instance ends streams of the keys that it minted on another', async () => {
  const { one, two } = await openTwo();
  const mint = async (by: string): Promise<{ id: string; key: string }> =>
    (await one.post('/v1/keys', { scopes: allScopes }, { headers: { authorization: `Bearer ${by}` } })).json();
  const first = await mint(one.key);
  const running = await stream(two, (await mint((await mint(first.key)).key)).key);
  await one.gateway.operator.revokeKey(first.id);
  await expectEnded(two, running, 'invalid_api_key', one.key);
});

test('a revocation without a notification ends streams within five seconds', async () => {
  const { database, one, two } = await openTwo();
  const admin = new pg.Client({ connectionString: database });
  await admin.connect();
  onTestFinished(() => admin.end());
  const reader = await one.gateway.operator.createKey({ accountId: one.account.id, scopes: allScopes });
  const running = await stream(two, one.key);
  await admin.query('ALTER TABLE api_keys DISABLE TRIGGER api_keys_ring');
  await admin.query('UPDATE api_keys SET revoked_at = 1 WHERE id = $1', [one.keyId]);
  await expectEnded(two, running, 'invalid_api_key', reader.key);
  expect((await one.call('/account', { key: reader.key })).status).toBe(200);
});
