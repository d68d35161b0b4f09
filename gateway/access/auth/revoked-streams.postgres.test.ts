import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { expectEnded, openHanging, stream } from '../../../tests/gateway-doubles/hanging-stream.ts';
import { openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { testDatabase } from '../../../tests/gateway-doubles/test-database.ts';
import { allScopes } from './scopes.ts';

/** Opens two gateways on one database: streams run on one, and credentials are revoked on the other. */
async function openTwo() {
  const database = await testDatabase();
  const gatewayA = await openTestGateway({ database });
  const gatewayB = await openHanging({ database });
  return { database, gatewayA, gatewayB };
}

test('a key or token that is revoked on one instance ends its streams on another', async () => {
  const { gatewayA, gatewayB } = await openTwo();
  const { operator } = gatewayA.gateway;
  const user = await operator.createUser({ accountId: gatewayA.account.id, name: 'Ada' });
  const issued = await operator.issueToken({ userId: user.id, scopes: ['chat'], lifetimeS: 60 });
  const reader = await operator.createKey({ accountId: gatewayA.account.id, scopes: allScopes });
  const byKey = await stream(gatewayB, gatewayA.key);
  const bySession = await stream(gatewayB, issued.token);
  await operator.revokeTokens(issued.id);
  await expectEnded(gatewayB, bySession, 'invalid_token', reader.key);
  await operator.revokeKey(gatewayA.keyId);
  await expectEnded(gatewayB, byKey, 'invalid_api_key', reader.key);
});

test('a key revoked on one instance ends streams of the keys that it minted on another', async () => {
  const { gatewayA, gatewayB } = await openTwo();
  const mint = async (by: string): Promise<{ id: string; key: string }> =>
    (await gatewayA.post('/v1/keys', { scopes: allScopes }, { headers: { authorization: `Bearer ${by}` } })).json();
  const first = await mint(gatewayA.key);
  const running = await stream(gatewayB, (await mint((await mint(first.key)).key)).key);
  await gatewayA.gateway.operator.revokeKey(first.id);
  await expectEnded(gatewayB, running, 'invalid_api_key', gatewayA.key);
});

test('a revocation without a notification ends streams within five seconds', async () => {
  const { database, gatewayA, gatewayB } = await openTwo();
  const admin = new pg.Client({ connectionString: database });
  await admin.connect();
  onTestFinished(() => admin.end());
  const reader = await gatewayA.gateway.operator.createKey({ accountId: gatewayA.account.id, scopes: allScopes });
  const running = await stream(gatewayB, gatewayA.key);
  await admin.query('ALTER TABLE api_keys DISABLE TRIGGER api_keys_ring');
  await admin.query('UPDATE api_keys SET revoked_at = 1 WHERE id = $1', [gatewayA.keyId]);
  await expectEnded(gatewayB, running, 'invalid_api_key', reader.key);
  expect((await gatewayA.call('/account', { key: reader.key })).status).toBe(200);
});
