import { describe, expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { as, minting, openKeys } from '../../../tests/gateway-doubles/open-keys.ts';
import { errorCode, testNow } from '../../../tests/gateway-doubles/open-test-gateway.ts';

type Opened = Awaited<ReturnType<typeof openKeys>>;

/** Kinds of keys that are confined to themselves and the keys that they minted. Each creates a confined key. */
const confined: Record<string, (opened: Opened) => Promise<{ id: string; key: string }>> = {
  'a key with a spending limit': ({ gateway, account }) =>
    gateway.operator.createKey({ ...minting, accountId: account.id, spendLimit: parseUsd('1') }),
  'a key with an end': ({ gateway, account }) =>
    gateway.operator.createKey({ ...minting, accountId: account.id, expiresAt: testNow + 60_000 }),
  'a key that a key minted': ({ mint }) => mint(minting),
  'a key that a token minted': async ({ mint, login }) => mint(minting, (await login()).token),
};

describe.each(Object.keys(confined))('%s', (kind) => {
  test('a confined key can see, change or revoke only itself and the keys that it minted', async () => {
    const opened = await openKeys();
    const { mint, change, revoke, list, chat } = opened;
    const own = await (confined[kind] as (typeof confined)[string])(opened);
    const child = await mint(minting, own.key);
    const grandchild = await mint({}, child.key);
    const stranger = await mint({ ...minting, spend_limit_usd: '3' });
    const others = [opened.keyId, stranger.id];
    for (const [by, id] of [...others.map((id) => [own.key, id]), [child.key, own.id]] as [string, string][]) {
      for (const answer of [
        await revoke(id, by),
        await change(id, { revoked: true }, by),
        await change(id, { label: 'mine' }, by),
        await change(id, { spend_limit_usd: '0' }, by),
        await change(id, { expires_at: testNow / 1000 + 1 }, by),
        await change(id, {}, by),
      ]) {
        expect([answer.status, await errorCode(answer)]).toEqual([404, 'key_not_found']);
      }
    }
    expect((await list(own.key)).map(({ id }) => id).toSorted()).toEqual([own.id, child.id, grandchild.id].toSorted());
    expect((await list(child.key)).map(({ id }) => id).toSorted()).toEqual([child.id, grandchild.id].toSorted());
    const cursor = await opened.call(`/v1/keys?after=${opened.keyId}`, as(own.key));
    expect(await errorCode(cursor)).toBe('invalid_query_parameter');
    expect((await chat(stranger.key)).status).toBe(200);

    expect((await change(grandchild.id, { label: 'mine' }, own.key)).status).toBe(200);
    expect((await revoke(child.id, own.key)).status).toBe(200);
    expect(await errorCode(await chat(grandchild.key))).toBe('invalid_api_key');
    expect((await revoke(own.id, own.key)).status).toBe(200);
    expect(await errorCode(await chat(own.key))).toBe('invalid_api_key');
  });
});

test('a token and an unbounded operator key manage all keys of the account, whatever their other scopes', async () => {
  const { gateway, account, mint, change, revoke, list, login } = await openKeys();
  const { token } = await login(['account']);
  const { key } = await gateway.operator.createKey({ accountId: account.id, scopes: ['account'] });
  for (const manager of [token, key]) {
    const { id } = await mint({ spend_limit_usd: '1' });
    expect((await list(manager)).map((entry) => entry.id)).toContain(id);
    expect((await change(id, { spend_limit_usd: '2' }, manager)).status).toBe(200);
    expect((await revoke(id, manager)).status).toBe(200);
  }
});

test('nobody can raise a limit or an expiry above what the key was minted with', async () => {
  const { mint, change } = await openKeys();
  const end = testNow / 1000 + 60;
  const parent = await mint({ ...minting, spend_limit_usd: '2', expires_at: end });
  const child = await mint({}, parent.key);
  for (const body of [
    { spend_limit_usd: '2.1' },
    { spend_limit_usd: null },
    { expires_at: end + 1 },
    { expires_at: null },
  ]) {
    expect(await errorCode(await change(child.id, body)), JSON.stringify(body)).toBe('invalid_value');
  }
  expect((await change(child.id, { spend_limit_usd: '1', expires_at: end - 1 })).status).toBe(200);
});
