import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expectEnded, openHanging, stream } from '../../../tests/gateway-doubles/hanging-stream.ts';
import { testPepper } from '../../../tests/gateway-doubles/test-database.ts';
import { openOperator } from '../../cli/on-database.ts';
import { allScopes } from './scopes.ts';

test('a revoked key ends its own running stream and no other', async () => {
  const opened = await openHanging();
  const { operator } = opened.gateway;
  const other = await operator.createKey({ accountId: opened.account.id, scopes: allScopes });
  const otherStream = await stream(opened, opened.key);
  const ours = await stream(opened, other.key);
  await operator.revokeKey(opened.keyId);
  await expectEnded(opened, otherStream, 'invalid_api_key', other.key);
  const still = await opened.call(`/v1/requests/${ours.id}`, { key: other.key });
  expect(await still.json()).toMatchObject({ status: 'running' });
});

test('a key that another key deletes at /v1/keys loses its running stream', async () => {
  const opened = await openHanging();
  const minted = await opened.gateway.operator.createKey({ accountId: opened.account.id, scopes: allScopes });
  const running = await stream(opened, minted.key);
  expect((await opened.call(`/v1/keys/${minted.id}`, { method: 'DELETE' })).status).toBe(200);
  await expectEnded(opened, running, 'invalid_api_key', opened.key);
});

test('a key that a key or a token minted ends with it, in the middle of an answer', async () => {
  const opened = await openHanging();
  const { operator } = opened.gateway;
  const mint = async (by: string): Promise<{ id: string; key: string }> =>
    (await opened.post('/v1/keys', { scopes: allScopes }, { headers: { authorization: `Bearer ${by}` } })).json();
  const user = await operator.createUser({ accountId: opened.account.id, name: 'Ada' });
  const login = await operator.issueToken({ userId: user.id, scopes: allScopes, lifetimeS: 60 });
  const first = await mint(opened.key);
  const byKey = await stream(opened, (await mint((await mint(first.key)).key)).key);
  const byToken = await stream(opened, (await mint((await mint(login.token)).key)).key);
  await operator.revokeKey(first.id);
  await expectEnded(opened, byKey, 'invalid_api_key', opened.key);
  await operator.revokeTokens(login.id);
  await expectEnded(opened, byToken, 'invalid_api_key', opened.key);
});

test('a token’s stream ends when the key that signed it is withdrawn', async () => {
  const opened = await openHanging();
  const { operator } = opened.gateway;
  const user = await operator.createUser({ accountId: opened.account.id, name: 'Ada' });
  const issued = await operator.issueToken({ userId: user.id, scopes: ['chat'], lifetimeS: 60 });
  const running = await stream(opened, issued.token);
  await operator.rotateTokenKeys({ atOnce: true });
  await expectEnded(opened, running, 'invalid_token', opened.key);
});

test.each([
  ['its token is revoked', 'invalid_token', ({ token }: Session) => token],
  ['its user is signed out', 'invalid_token', ({ user }: Session) => user],
])('a token’s stream ends when %s', async (_how, code, what) => {
  const opened = await openHanging();
  const { operator } = opened.gateway;
  const user = await operator.createUser({ accountId: opened.account.id, name: 'Ada' });
  const issued = await operator.issueToken({ userId: user.id, scopes: ['chat'], lifetimeS: 60 });
  const running = await stream(opened, issued.token);
  await operator.revokeTokens(what({ token: issued.id, user: user.id }));
  await expectEnded(opened, running, code, opened.key);
});

interface Session {
  readonly token: string;
  readonly user: string;
}

test('a suspended account’s answer ends at once', async () => {
  const opened = await openHanging();
  const running = await stream(opened, opened.key);
  await opened.gateway.operator.setAccountStatus(opened.account.id, 'suspended');
  expect(await running.rest()).toContain('account_suspended');
});

test('a key that the command line revokes from another process loses its running stream', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-revoked-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const database = join(folder, 'gateway.db');
  const opened = await openHanging({ database });
  const reader = await opened.gateway.operator.createKey({ accountId: opened.account.id, scopes: allScopes });
  const running = await stream(opened, opened.key);
  const env = { PORTICO_KEY_PEPPER: testPepper };
  const { operator, close } = await openOperator({ database, env, now: Date.now, mayCreate: false });
  await operator.revokeKey(opened.keyId);
  await close();
  await expectEnded(opened, running, 'invalid_api_key', reader.key);
});
