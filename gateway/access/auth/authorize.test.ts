import { describe, expect, onTestFinished, test } from 'vitest';
import { testDatabase } from '../../../tests/gateway-doubles/test-database.ts';
import { createOperator } from '../../operations/operator/operator-store.ts';
import { type GatewayDb, openDatabase } from '../../storage/open-database.ts';
import { createTransact } from '../../storage/transact.ts';
import { createAuthorizer, requireActive } from './authorize.ts';
import type { Peppers } from './pepper.ts';

const start = Date.UTC(2026, 10, 20);
const secret = (text: string) => Buffer.from(text.repeat(40));

async function openKeys() {
  const gatewayDb = await openDatabase(await testDatabase());
  onTestFinished(() => gatewayDb.db.destroy());
  let time = start;
  const now = () => time;
  const peppers: Peppers = [secret('a')];
  const transact = createTransact(gatewayDb);
  const operator = createOperator({ db: gatewayDb.db, transact, peppers, now, credentialsChanged: () => {} });
  const account = await operator.createAccount({ name: 'A' });
  const { id, key } = await operator.createKey({ accountId: account.id });
  const authorizer = (used: Peppers = peppers) => createAuthorizer({ db: gatewayDb.db, peppers: used, now });
  const setKey = (values: { expires_at?: bigint; scopes?: string }) =>
    gatewayDb.db.updateTable('api_keys').set(values).where('id', '=', id).execute();
  const lastUsed = async () =>
    (await gatewayDb.db.selectFrom('api_keys').select('last_used_at').where('id', '=', id).executeTakeFirstOrThrow())
      .last_used_at;
  const pass = (ms: number) => {
    time += ms;
  };
  return { ...gatewayDb, operator, account, id, header: `Bearer ${key}`, authorizer, setKey, lastUsed, pass, now };
}

/** Wraps the database and counts the queries. */
function countQueries(db: GatewayDb) {
  let queryCount = 0;
  const counted = db.withPlugin({
    transformQuery: ({ node }) => {
      queryCount += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { db: counted, queryCount: () => queryCount };
}

describe('a credential', () => {
  test('a credential works until the exact moment of its expiry, cached or not', async () => {
    const { authorizer, header, setKey, pass } = await openKeys();
    await setKey({ expires_at: BigInt(start + 1000) });
    const { authenticate } = authorizer();
    pass(999);
    expect((await authenticate(header)).credential.expiresAt).toBe(start / 1000 + 1);
    pass(1);
    await expect(authenticate(header)).rejects.toMatchObject({ code: 'api_key_expired' });
    await expect(authorizer().authenticate(header)).rejects.toMatchObject({ code: 'api_key_expired' });
  });

  test('a key made with an older secret still works, as long as that secret is in the list', async () => {
    const { authorizer, header } = await openKeys();
    await expect(authorizer([secret('b'), secret('a')]).authenticate(header)).resolves.toBeTruthy();
    await expect(authorizer([secret('b')]).authenticate(header)).rejects.toMatchObject({ code: 'invalid_api_key' });
  });

  test('a key revoked by someone else is refused after two seconds at the latest', async () => {
    const { authorizer, operator, id, header, pass } = await openKeys();
    const { authenticate } = authorizer();
    await authenticate(header);
    await operator.revokeKey(id);
    pass(2000);
    await expect(authenticate(header)).rejects.toMatchObject({ code: 'invalid_api_key' });
  });

  test('a key costs one query however many ancestors it has, and none while it is cached', async () => {
    const { db, account, header, id } = await openKeys();
    const line = ['key_a', 'key_b', 'key_c', 'key_d', 'key_e'];
    for (const [index, above] of line.entries()) {
      const row = { id: above, account_id: account.id, digest: Buffer.from(above), prefix: 'p', created: 0n };
      const scopes = index === 2 ? '["models"]' : '["chat","models"]';
      await db
        .insertInto('api_keys')
        .values({ ...row, scopes, parent_id: line[index - 1] ?? null })
        .execute();
    }
    await db
      .updateTable('api_keys')
      .set({ parent_id: 'key_e', last_used_at: BigInt(start) })
      .where('id', '=', id)
      .execute();
    const counted = countQueries(db);
    const { authenticate } = createAuthorizer({ db: counted.db, peppers: [secret('a')], now: () => start });
    expect((await authenticate(header)).credential.scopes).toEqual(['models']);
    await authenticate(header);
    expect(counted.queryCount()).toBe(1);
  });

  test('keys that are requested at once or due soon are read in one query', async () => {
    const { db, account, operator, pass, now } = await openKeys();
    const headers: string[] = [];
    while (headers.length < 5) headers.push(`Bearer ${(await operator.createKey({ accountId: account.id })).key}`);
    await db
      .updateTable('api_keys')
      .set({ last_used_at: BigInt(start) })
      .execute();
    const counted = countQueries(db);
    const counting = createAuthorizer({ db: counted.db, peppers: [secret('a')], now });
    await Promise.all(headers.map((header) => counting.authenticate(header)));
    expect(counted.queryCount()).toBe(1);
    pass(1_500);
    await Promise.all(headers.slice(1).map((header) => counting.authenticate(header)));
    expect(counted.queryCount()).toBe(1);
    pass(500);
    // The first key is stale. The others, which were in use, are read with it.
    for (const header of headers) await counting.authenticate(header);
    expect(counted.queryCount()).toBe(2);
  });

  test('a revoked key is refused while the others in its query are served', async () => {
    const { operator, account, authorizer, pass } = await openKeys();
    const make = () => operator.createKey({ accountId: account.id });
    const made = [await make(), await make(), await make()];
    const { authenticate } = authorizer();
    const all = () => Promise.allSettled(made.map(({ key }) => authenticate(`Bearer ${key}`)));
    expect((await all()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    await operator.revokeKey(made[1]?.id ?? '');
    pass(2_000);
    const seen = await all();
    expect(seen.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(seen[1]).toMatchObject({ reason: { code: 'invalid_api_key' } });
    const ids = seen.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value.credential.id : []));
    expect(ids).toEqual([made[0]?.id, made[2]?.id]);
  });

  test('a key that is changed while it is being read is not cached', async () => {
    const { db, operator, id, header, now } = await openKeys();
    const racingDb = db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        authorizer.forget();
        return result;
      },
    });
    const authorizer = createAuthorizer({ db: racingDb, peppers: [secret('a')], now });
    await authorizer.authenticate(header);
    await operator.revokeKey(id);
    await expect(authorizer.authenticate(header)).rejects.toMatchObject({ code: 'invalid_api_key' });
  });

  test('a credential of a suspended account is recognized but may do nothing', async () => {
    const { authorizer, db, header } = await openKeys();
    await db.updateTable('accounts').set({ status: 'suspended' }).execute();
    const principal = await authorizer().authenticate(header);
    expect(() => requireActive(principal)).toThrow(/This account is suspended/);
  });

  test('a key remembers when it was used, at most once a minute', async () => {
    const { authorizer, header, lastUsed, pass } = await openKeys();
    const { authenticate } = authorizer();
    await authenticate(header);
    expect(await lastUsed()).toBe(BigInt(start));
    pass(59_000);
    await authenticate(header);
    expect(await lastUsed()).toBe(BigInt(start));
    pass(1000);
    await authenticate(header);
    expect(await lastUsed()).toBe(BigInt(start + 60_000));
  });

  test('a credential ignores scopes that this version does not know', async () => {
    const { authorizer, header, setKey } = await openKeys();
    await setKey({ scopes: '["chat","admin",7]' });
    expect((await authorizer().authenticate(header)).credential.scopes).toEqual(['chat']);
  });
});
