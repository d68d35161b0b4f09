import { expect, onTestFinished, test } from 'vitest';
import { allScopes } from '#gateway/access/auth/scopes.ts';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { parseUsd } from '#shared/money.ts';
import type { Scope } from '#shared/wire/account.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { freePort } from '../../../../tests/support/free-port.ts';
import { openPlainServer } from '../../../../tests/support/other-gateways.ts';

/**
 * Each entry opens a core with an account, on the built-in or on a remote gateway, and returns the URL that programs of
 * this account call.
 */
const places = {
  async 'the built-in gateway'() {
    const { client } = await coreOfTest({ openGateway, listen });
    const { local } = await client.gateway.listen({ enabled: true, port: await freePort() });
    return { client, account: 'sandbox', url: local.url ?? '' };
  },
  async 'a remote gateway'() {
    const { url, key } = await openRemoteGateway(allScopes);
    const { client } = await coreOfTest({ openGateway });
    const { id } = await client.gatewayAccounts.add({ baseUrl: url, key });
    return { client, account: id, url };
  },
};

async function openRemoteGateway(scopes: readonly Scope[]) {
  const gateway = await openGateway({ database: ':memory:', sandboxPace: 0 });
  const door = await listen(gateway, { port: 0 });
  onTestFinished(async () => {
    await door.close();
    await gateway.close();
  });
  const { id: accountId } = await gateway.operator.createAccount({ name: 'Team' });
  await gateway.operator.grant({ accountId, amount: parseUsd('5') });
  return { url: door.url, key: (await gateway.operator.createKey({ accountId, scopes })).key };
}

async function ask(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello?' }] }),
  });
  await response.text();
  return response.status;
}

const plain = { scopes: ['chat' as const, 'models' as const], limitUsd: null, expiresAt: null };

test.each(Object.entries(places))(
  'keys of %s can be created, used, limited, rotated and revoked, and the secret is shown only once',
  async (_, open) => {
    const { client, account, url } = await open();
    const list = async () => (await client.apiKeys.list({ account })).keys;
    expect(await list()).toEqual([]);
    const end = (Math.floor(Date.now() / 1000) + 86_400) * 1000;
    const { key } = await client.apiKeys.create({ ...plain, account, name: 'Editor', limitUsd: '1.5', expiresAt: end });
    const [made] = await list();
    expect(made).toMatchObject({
      account,
      name: 'Editor',
      scopes: ['chat', 'models'],
      limitUsd: '1.5',
      spentUsd: '0',
      expiresAt: end,
      lastUsedAt: null,
    });
    expect(JSON.stringify(await list())).not.toContain(key);
    expect(await ask(url, key)).toBe(200);
    const [used] = await list();
    expect(used?.lastUsedAt).toBeGreaterThan(0);
    expect(parseUsd(used?.spentUsd ?? '0')).toBeGreaterThan(0n);

    // The old key stays valid for half a day, and both keys together may spend only what the old one could.
    const id = made?.id ?? '';
    const rotated = await client.apiKeys.rotate({ account, id, endsInHours: 12 });
    expect(rotated.problem).toBeNull();
    expect([await ask(url, key), await ask(url, rotated.key)]).toEqual([200, 200]);
    const successor = (await list()).find((entry) => entry.id !== id);
    expect(successor).toMatchObject({ name: 'Editor', scopes: ['chat', 'models'], expiresAt: end });
    expect(parseUsd(successor?.limitUsd ?? '') + parseUsd(used?.spentUsd ?? '')).toBe(parseUsd('1.5'));
    expect((await list()).find((entry) => entry.id === id)?.expiresAt).toBeLessThan(end);

    await client.apiKeys.change({ account, id: successor?.id ?? '', name: 'Renamed', limitUsd: '0', expiresAt: null });
    expect(await ask(url, rotated.key)).toBe(402);
    const last = await client.apiKeys.rotate({ account, id, endsInHours: 0 });
    expect([await ask(url, key), await ask(url, last.key)]).toEqual([401, 200]);
    for (const entry of await list()) await client.apiKeys.revoke({ account, id: entry.id });
    expect([await list(), await ask(url, rotated.key)]).toEqual([[], 401]);
    await expect(client.apiKeys.revoke({ account, id })).rejects.toThrow('revoked already');
  },
);

test('the app’s own key is not listed with the others and cannot be revoked here', async () => {
  const { client } = await coreOfTest({ openGateway });
  const { credential } = await client.account.get({ billingAccount: 'sandbox' });
  const own = { account: 'sandbox', id: credential?.id ?? '' };
  await expect(client.apiKeys.revoke(own)).rejects.toThrow('revoked already');
  await expect(client.apiKeys.rotate({ ...own, endsInHours: 0 })).rejects.toThrow('revoked already');
});

test('listing keys fails with insufficient_scope if the key may not manage keys, and with not_reported if the gateway has none', async () => {
  const { url, key } = await openRemoteGateway(['chat', 'models']);
  const { client } = await coreOfTest({ openGateway });
  const { id } = await client.gatewayAccounts.add({ baseUrl: url, key });
  await expect(client.apiKeys.list({ account: id })).rejects.toMatchObject({ code: 'insufficient_scope' });
  const server = await openPlainServer();
  const plainServer = await client.gatewayAccounts.add({ baseUrl: server.baseUrl, key: server.key });
  await expect(client.apiKeys.list({ account: plainServer.id })).rejects.toMatchObject({ code: 'not_reported' });
  await expect(client.apiKeys.list({ account: 'nobody' })).rejects.toMatchObject({ code: 'not_found' });
});
