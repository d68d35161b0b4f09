import { generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { openTokenBench } from '../../../tests/gateway-doubles/token-bench.ts';
import type { Peppers } from './pepper.ts';
import { openKey, sealKey } from './sealed-key.ts';
import { describeKeys, publishedAfterMs, publishedBeforeMs, publishedKeys, signingKey } from './signing-keys.ts';

async function open() {
  const bench = await openTokenBench();
  onTestFinished(() => bench.close());
  const states = async () => (await describeKeys(bench.db, bench.now())).map((key) => key.state).toSorted();
  const accepted = async (token: string) => {
    try {
      return Boolean(await bench.authorizer().authenticate(`Bearer ${token}`));
    } catch {
      return false;
    }
  };
  return { ...bench, states, accepted };
}

test('a rotation gives notice, switches, and retires the old key when its last token has expired', async () => {
  const bench = await open();
  expect(await bench.states()).toEqual(['signing', 'standby']);
  const before = await bench.issue(24 * 3600);
  await bench.operator.rotateTokenKeys();
  expect(await bench.states()).toEqual(['scheduled', 'signing', 'standby']);
  expect((await signingKey(bench)).kid).toBe(bench.kid);
  await expect(bench.operator.rotateTokenKeys()).rejects.toThrow(/A rotation is under way/);

  bench.pass(publishedBeforeMs);
  expect(await bench.states()).toEqual(['retiring', 'signing', 'standby']);
  const after = await bench.issue(24 * 3600);
  expect([await bench.accepted(before.token), await bench.accepted(after.token)]).toEqual([true, true]);

  bench.pass(publishedAfterMs);
  expect(await bench.states()).toEqual(['signing', 'standby']);
  expect(await publishedKeys(bench.db, bench.now())).not.toContainEqual(expect.objectContaining({ kid: bench.kid }));
  expect(await bench.accepted(before.token)).toBe(false);
});

test('a standby that has been published long enough signs at once', async () => {
  const bench = await open();
  bench.pass(publishedBeforeMs);
  await bench.operator.rotateTokenKeys();
  expect((await signingKey(bench)).kid).not.toBe(bench.kid);
});

test('tokens of a leaked key are invalid as soon as it is rotated at once', async () => {
  const bench = await open();
  const { token } = await bench.issue();
  await bench.operator.rotateTokenKeys();
  await bench.operator.rotateTokenKeys({ atOnce: true });
  expect(await bench.accepted(token)).toBe(false);
  expect(await bench.accepted((await bench.issue()).token)).toBe(true);
  expect(await bench.states()).toEqual(['signing', 'standby']);
});

test('the private key is stored encrypted, and only the peppers of the list can decrypt it', async () => {
  const bench = await open();
  const rows = await publishedKeys(bench.db, bench.now());
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const old = Buffer.alloc(32, 1);
  const sealed = sealKey(privateKey, 'a', [old]);
  expect(sealed.includes(privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(100, 200))).toBe(false);
  expect(openKey(sealed, 'a', [Buffer.alloc(32, 2), old]).equals(privateKey)).toBe(true);
  expect(() => openKey(sealed, 'a', [Buffer.alloc(32, 2)])).toThrow(/cannot be decrypted/);
  expect(() => openKey(sealed, 'b', [old])).toThrow(/cannot be decrypted/);
  expect(() => openKey(sealed.subarray(0, 20), 'a', [old])).toThrow(/cannot be decrypted/);
  const changed = Buffer.from(rows[0]?.sealed_key ?? []);
  changed[40] = (changed[40] ?? 0) ^ 1;
  expect(() => openKey(changed, rows[0]?.kid ?? '', bench.peppers)).toThrow(/cannot be decrypted/);
});

test('processes that create the first keys at the same time agree on one signer', async () => {
  const bench = await open();
  await bench.db.deleteFrom('token_keys').execute();
  const peppers: Peppers = bench.peppers;
  const kids = await Promise.all(Array.from({ length: 3 }, () => signingKey({ ...bench, peppers })));
  expect(new Set(kids.map(({ kid }) => kid)).size).toBe(1);
  expect(await bench.states()).toEqual(['signing', 'standby']);
});

test('a database without a standby, or without any valid key, gives an error and no new key', async () => {
  const bench = await open();
  await bench.db.deleteFrom('token_keys').where('signs_from', 'is', null).execute();
  await expect(bench.operator.rotateTokenKeys()).rejects.toMatchObject({
    code: 'internal_error',
    message: 'There is no standby key to rotate to.',
  });
  await bench.db.updateTable('token_keys').set({ retires_at: 1n }).execute();
  await expect(bench.issue()).rejects.toMatchObject({
    code: 'internal_error',
    message: 'None of the keys that sign tokens is valid now.',
  });
  expect(await bench.db.selectFrom('token_keys').select('kid').execute()).toEqual([{ kid: bench.kid }]);
});

test('the key set is public, names keys by their thumbprint, includes the next key and contains nothing private', async () => {
  const { call, gateway, account } = await openTestGateway();
  expect(await (await call('/.well-known/jwks.json', { key: null })).json()).toEqual({ keys: [] });
  const user = await gateway.operator.createUser({ accountId: account.id, name: 'Ada' });
  await gateway.operator.issueToken({ userId: user.id, scopes: ['chat'], lifetimeS: 60 });
  const response = await call('/.well-known/jwks.json', { key: null });
  expect(response.headers.get('cache-control')).toBe('public, max-age=600');
  const { keys } = (await response.json()) as { keys: Record<string, string>[] };
  expect(keys).toHaveLength(2);
  for (const { kid, n = '', ...rest } of keys) {
    expect(rest).toEqual({ kty: 'RSA', e: 'AQAB', use: 'sig', alg: 'RS256' });
    expect(Buffer.from(n, 'base64url').length).toBeGreaterThanOrEqual(256);
    expect(kid).toBe(await calculateJwkThumbprint({ kty: 'RSA', e: 'AQAB', n }, 'sha256'));
  }
});
