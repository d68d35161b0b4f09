import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { as, minting, openKeys } from '../../../tests/gateway-doubles/open-keys.ts';
import { errorCode, testNow } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { sharedDatabase, testPepper } from '../../../tests/gateway-doubles/test-database.ts';
import { openOperator } from '../../cli/on-database.ts';
import { openDatabase } from '../../storage/open-database.ts';

type Opened = Awaited<ReturnType<typeof openKeys>>;
type Shared = Awaited<ReturnType<typeof openShared>>;
type Minted = Awaited<ReturnType<Opened['mint']>>;

/** Mints a key with the credential, another key with that one, and so on. Returns them oldest first. */
async function getLine({ mint }: Opened, credential: string, length: number): Promise<Minted[]> {
  const line: Minted[] = [];
  for (let key = credential; line.length < length; key = line.at(-1)?.key ?? '') line.push(await mint(minting, key));
  return line;
}

/** Opens a gateway on a database file that a second process can open too. */
async function openShared() {
  const folder = mkdtempSync(join(tmpdir(), 'portico-tree-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const database = await sharedDatabase(folder);
  const opened = await openKeys({ database });
  const gatewayDb = await openDatabase(database);
  onTestFinished(() => gatewayDb.db.destroy());
  return { ...opened, database, ...gatewayDb };
}

const verify = (opened: Opened, key: string) => opened.post('/v1/auth/verify', {}, as(key));
const verdict = async (opened: Opened, key: string) => {
  const answer = await verify(opened, key);
  return answer.status === 200 ? 'valid' : errorCode(answer);
};
const verdicts = (opened: Opened, keys: readonly { key: string }[]) =>
  Promise.all(keys.map(({ key }) => verdict(opened, key)));

describe('keys minted by a revoked key end with it', () => {
  test.each([
    ['by the operator', ({ gateway }: Opened, id: string) => gateway.operator.revokeKey(id)],
    ['by DELETE', ({ revoke }: Opened, id: string) => revoke(id)],
    ['by PATCH', ({ change }: Opened, id: string) => change(id, { revoked: true })],
  ])('a revoked key ends the keys minted under it at any depth, and no others: %s', async (_how, revoke) => {
    const opened = await openKeys();
    const [first, ...below] = await getLine(opened, opened.key, 8);
    const [sibling] = await getLine(opened, opened.key, 1);
    expect(new Set(await verdicts(opened, below))).toEqual(new Set(['valid']));
    await revoke(opened, first?.id ?? '');
    expect(new Set(await verdicts(opened, below))).toEqual(new Set(['invalid_api_key']));
    expect(await verdict(opened, sibling?.key ?? '')).toBe('valid');
    const shown = new Map((await opened.list()).map(({ id, status }) => [id, status]));
    expect(below.map(({ id }) => shown.get(id))).toEqual(below.map(() => 'revoked'));
    expect(shown.get(sibling?.id ?? '')).toBe('active');
    const listed = await opened.gateway.operator.listKeys(opened.account.id);
    expect(listed.filter(({ revokedAt }) => revokedAt === null)).toHaveLength(2);
  });

  test('a minted key ends within two seconds when another process revoked its parent and no notification arrived', async () => {
    const opened = await openShared();
    const [first, , third] = await getLine(opened, opened.key, 3);
    expect(await verdict(opened, third?.key ?? '')).toBe('valid');
    const env = { PORTICO_KEY_PEPPER: testPepper };
    const { operator, close } = await openOperator({
      database: opened.database,
      env,
      now: () => testNow,
      mayCreate: false,
    });
    await operator.revokeKey(first?.id ?? '');
    await close();
    opened.pass(2000);
    expect(await verdict(opened, third?.key ?? '')).toBe('invalid_api_key');
  });

  test('a key minted at the moment of the revocation ends too, even if its caller was admitted just before', async () => {
    const opened = await openShared();
    const [first] = await getLine(opened, opened.key, 1);
    const attempts = Array.from({ length: 8 }, () => opened.post('/v1/keys', minting, as(first?.key ?? '')));
    const [revoked, ...answers] = await Promise.all([opened.revoke(first?.id ?? ''), ...attempts]);
    expect(revoked?.status).toBe(200);
    for (const answer of answers) {
      const body = await answer.json();
      if (answer.status === 201) expect(await verdict(opened, body.key)).toBe('invalid_api_key');
      else expect([answer.status, body.error.code]).toEqual([401, 'invalid_api_key']);
    }
    // Another process revokes the key. This one has the caller cached, but reads the database before it mints.
    const [second] = await getLine(opened, opened.key, 1);
    await verify(opened, second?.key ?? '');
    await opened.db
      .updateTable('api_keys')
      .set({ revoked_at: 1n })
      .where('id', '=', second?.id ?? '')
      .execute();
    const late = await opened.post('/v1/keys', minting, as(second?.key ?? ''));
    expect([late.status, await errorCode(late)]).toEqual([401, 'invalid_api_key']);
  });

  test('revoking a key makes room for as many new keys', async () => {
    const opened = await openShared();
    const [first, below] = await getLine(opened, opened.key, 2);
    const own = { account_id: opened.account.id, prefix: 'p', scopes: '[]', created: 0n };
    const filling = Array.from({ length: 497 }, (_, index) => ({
      ...own,
      id: `key_${index}`,
      digest: Buffer.from(`${index}`),
      parent_id: below?.id ?? null,
    }));
    await opened.db.insertInto('api_keys').values(filling).execute();
    expect(await errorCode(await opened.post('/v1/keys', {}))).toBe('plan_limit_exceeded');
    await opened.revoke(first?.id ?? '');
    for (let more = 0; more < 3; more += 1) await opened.mint({});
  });
});

describe('a caller that was admitted a moment ago cannot change keys after another process restricted it', () => {
  test.each([
    [
      'when it suspended the account',
      403,
      'account_suspended',
      ({ db }: Shared) => db.updateTable('accounts').set({ status: 'suspended' }).execute(),
    ],
    [
      'when it removed the scope',
      403,
      'insufficient_scope',
      ({ db, keyId }: Shared) =>
        db.updateTable('api_keys').set({ scopes: '["chat","models"]' }).where('id', '=', keyId).execute(),
    ],
    [
      'when it set an expiry',
      401,
      'api_key_expired',
      ({ db, keyId }: Shared) =>
        db
          .updateTable('api_keys')
          .set({ expires_at: BigInt(testNow) })
          .where('id', '=', keyId)
          .execute(),
    ],
    [
      'when it deleted the key',
      401,
      'invalid_api_key',
      ({ db, keyId }: Shared) => db.deleteFrom('api_keys').where('id', '=', keyId).execute(),
    ],
  ])('%s', async (_what, status, code, takeAway) => {
    const opened = await openShared();
    const { operator } = opened.gateway;
    const other = await operator.createKey({ accountId: opened.account.id });
    expect(await verdict(opened, opened.key)).toBe('valid');
    await takeAway(opened);
    for (const answer of [await opened.post('/v1/keys', {}), await opened.revoke(other.id)]) {
      expect([answer.status, await errorCode(answer)]).toEqual([status, code]);
    }
    const kept = await opened.db.selectFrom('api_keys').select('revoked_at').where('id', '!=', opened.keyId).execute();
    expect(kept).toEqual([{ revoked_at: null }]);
  });
});

describe('keys minted by a token end with it', () => {
  test.each([
    ['is revoked', ({ gateway }: Opened, { id }: Session) => gateway.operator.revokeTokens(id)],
    [
      'is revoked with all of its user',
      ({ gateway }: Opened, { user }: Session) => gateway.operator.revokeTokens(user),
    ],
    ['is revoked with all of its account', ({ gateway, account }: Opened) => gateway.operator.revokeTokens(account.id)],
    [
      'has a user who is disabled',
      ({ gateway }: Opened, { user }: Session) => gateway.operator.setUserStatus(user, 'disabled'),
    ],
    ['was signed with a key that leaked', ({ gateway }: Opened) => gateway.operator.rotateTokenKeys({ atOnce: true })],
  ])('a key minted by a token ends when the token %s', async (_how, end) => {
    const opened = await openKeys();
    const session = await opened.login();
    const line = await getLine(opened, session.token, 3);
    expect(line[0]).toMatchObject({ minted_by: session.user });
    expect(await verdicts(opened, line)).toEqual(['valid', 'valid', 'valid']);
    await end(opened, session);
    expect(await verdicts(opened, line)).toEqual(Array(3).fill('invalid_api_key'));
    expect(await verdict(opened, opened.key)).toBe('valid');
    expect((await opened.list()).map(({ status }) => status).toSorted()).toEqual([
      'active',
      'revoked',
      'revoked',
      'revoked',
    ]);
  });

  test('a key minted by a token does not end with another token', async () => {
    const opened = await openKeys();
    const [ada, bob] = [await opened.login(), await opened.login()];
    const again = await opened.gateway.operator.issueToken({ userId: ada.user, scopes: minting.scopes, lifetimeS: 60 });
    const line = await getLine(opened, ada.token, 2);
    await opened.gateway.operator.revokeTokens(again.id);
    await opened.gateway.operator.revokeTokens(bob.user);
    expect(await verdicts(opened, line)).toEqual(['valid', 'valid']);
  });

  test('a key minted by a token expires with it, so it never outlives the login', async () => {
    const opened = await openKeys();
    const { token, expiresAt } = await opened.login(undefined, 900);
    const [first, second] = await getLine(opened, token, 2);
    expect([first?.expires_at, second?.expires_at]).toEqual([expiresAt, expiresAt]);
    const longer = { expires_at: expiresAt + 1 };
    expect(await errorCode(await opened.post('/v1/keys', longer, as(token)))).toBe('invalid_value');
    for (const body of [longer, { expires_at: null }]) {
      expect(await errorCode(await opened.change(first?.id ?? '', body))).toBe('invalid_value');
    }
    opened.pass(900_000);
    expect(await verdicts(opened, [first, second] as Minted[])).toEqual(['api_key_expired', 'api_key_expired']);
    // Clocks differ, so the token itself is accepted for some seconds more, but can't be used to mint a key.
    expect(await verdict(opened, token)).toBe('valid');
    expect(await errorCode(await opened.post('/v1/keys', {}, as(token)))).toBe('token_expired');
  });
});

interface Session {
  readonly id: string;
  readonly user: string;
}

describe('a later restriction of a key applies to the keys that it minted', () => {
  test('an expiry that is set on a key later also ends the keys that it minted', async () => {
    const opened = await openKeys();
    const [first, second, third] = (await getLine(opened, opened.key, 3)) as [Minted, Minted, Minted];
    const end = testNow / 1000 + 60;
    await opened.change(third.id, { expires_at: end + 3600 });
    await opened.change(first.id, { expires_at: end });
    const shown = await opened.list();
    expect(shown.filter(({ id }) => id !== opened.keyId).map(({ expires_at }) => expires_at)).toEqual([end, end, end]);
    expect(await errorCode(await opened.change(third.id, { expires_at: end + 1 }))).toBe('invalid_value');
    opened.pass(60_000);
    expect(await verdicts(opened, [second, third])).toEqual(['api_key_expired', 'api_key_expired']);
  });

  test('a limit that is set on a key later also limits the keys that it minted, and counts earlier charges', async () => {
    const opened = await openKeys();
    const [first, , third] = (await getLine(opened, opened.key, 3)) as [Minted, Minted, Minted];
    await opened.chat(third.key, { max_tokens: 1000 });
    const spent = (await opened.list()).find(({ id }) => id === first.id)?.spent_usd;
    expect(Number(spent)).toBeGreaterThan(0);
    await opened.change(first.id, { spend_limit_usd: spent });
    const shown = (await opened.list()).find(({ id }) => id === third.id);
    expect(shown).toMatchObject({ spend_limit_usd: spent });
    expect(await errorCode(await opened.chat(third.key, { max_tokens: 1000 }))).toBe('key_spend_limit_exceeded');
    for (const body of [{ spend_limit_usd: '5' }, { spend_limit_usd: null }]) {
      expect(await errorCode(await opened.change(third.id, body))).toBe('invalid_value');
    }
  });

  test('a scope that is taken from a key later is also taken from the keys that it minted', async () => {
    const opened = await openShared();
    const [first, second] = (await getLine(opened, opened.key, 2)) as [Minted, Minted];
    await opened.db.updateTable('api_keys').set({ scopes: '["models"]' }).where('id', '=', first.id).execute();
    opened.pass(2000);
    expect(await errorCode(await opened.chat(second.key))).toBe('insufficient_scope');
    expect((await opened.list()).find(({ id }) => id === second.id)?.scopes).toEqual(['models']);
    expect(await errorCode(await opened.post('/v1/keys', {}, as(second.key)))).toBe('insufficient_scope');
  });

  test('a key is refused when the account of its parent is suspended', async () => {
    const opened = await openShared();
    const [first, second] = (await getLine(opened, opened.key, 2)) as [Minted, Minted];
    const other = await opened.gateway.operator.createAccount({ name: 'Other' });
    await opened.gateway.operator.setAccountStatus(other.id, 'suspended');
    await opened.db.updateTable('api_keys').set({ account_id: other.id }).where('id', '=', first.id).execute();
    opened.pass(2000);
    expect(await errorCode(await opened.chat(second.key))).toBe('account_suspended');
  });
});
