import { expect, test } from 'vitest';
import { openEarlier } from '../../../tests/gateway-doubles/earlier-ledger.ts';
import { keyRules } from '../../ledger/check-ledger.ts';
import { withSums } from '../../ledger/rules/sums.ts';

const account = { name: 'A', email: null, plan: 'free', status: 'active' as const, created: 0n };
const request = {
  account_id: 'acct_1',
  instance_id: 'i',
  lease_until: 0n,
  metadata: '{}',
  provider: 'p',
  model: 'm',
  byok: 0n,
};

test('each key gets the parent that the previous version recorded, and its spend includes its children’s', async () => {
  const { db, migrator } = await openEarlier('0009-byok-fee');
  for (const id of ['acct_1', 'acct_2'])
    await db
      .insertInto('accounts')
      .values({ ...account, id, balance: 0n, held: 0n, granted: 0n, used: 0n })
      .execute();
  const user = { id: 'usr_1', account_id: 'acct_1', name: 'Ada', email: null, status: 'active' as const, created: 0n };
  await db.insertInto('users').values(user).execute();
  const key = (id: string, more: object = {}) => ({
    id,
    account_id: 'acct_1',
    digest: Buffer.from(id),
    prefix: 'p',
    scopes: '["chat","account"]',
    created: 5999n,
    window_id: null as string | null,
    parent_id: null as string | null,
    spent: 0n,
    held: 0n,
    ...more,
  });
  await db
    .insertInto('api_keys')
    .values([
      key('key_root', { spent: 1n }),
      key('key_free', { window_id: 'key_root', spent: 2n }),
      key('key_limited', { window_id: 'key_root', spent: 12n, held: 7n }),
      key('key_below', { window_id: 'key_root', parent_id: 'key_limited', spent: 8n, held: 7n }),
      key('key_login', { window_id: 'usr_1' }),
      key('key_login_below', { window_id: 'usr_1', parent_id: 'key_login' }),
      key('key_gone', { window_id: 'key_nowhere' }),
      key('key_other', { account_id: 'acct_2', window_id: 'key_root' }),
    ])
    .execute();
  const spent = { key_root: 1n, key_free: 2n, key_limited: 4n, key_below: 8n };
  for (const [key_id, charge] of Object.entries(spent)) {
    const row = { ...request, id: `req_${key_id}`, key_id, created: 0n, day: '2026-11-20', charge, hold: 0n };
    await db
      .insertInto('requests')
      .values({ ...row, status: 'succeeded' })
      .execute();
  }
  const running = { ...request, id: 'req_running', key_id: 'key_below', created: 0n, day: '2026-11-20', hold: 7n };
  await db
    .insertInto('requests')
    .values({ ...running, status: 'running' })
    .execute();
  expect((await migrator.migrateToLatest()).error).toBeUndefined();
  const rows = await db.selectFrom('api_keys').selectAll().orderBy('id').execute();
  const seen = rows.map((row) => [row.id, row.parent_id ?? row.token_user, row.token_issued, row.spent, row.held]);
  expect(seen).toEqual([
    ['key_below', 'key_limited', null, 8n, 7n],
    ['key_free', 'key_root', null, 2n, 0n],
    ['key_gone', null, null, 0n, 0n],
    ['key_limited', 'key_root', null, 12n, 7n],
    ['key_login', 'usr_1', 5n, 0n, 0n],
    ['key_login_below', 'key_login', null, 0n, 0n],
    ['key_other', null, null, 0n, 0n],
    ['key_root', null, null, 15n, 7n],
  ]);
  expect(new Set(rows.map(({ scopes }) => scopes))).toEqual(new Set(['["chat","account"]']));
  await db.connection().execute((connection) =>
    withSums(connection, async () => {
      for (const { name, check } of keyRules) expect([name, (await check(connection)).violations]).toEqual([name, []]);
    }),
  );
});
