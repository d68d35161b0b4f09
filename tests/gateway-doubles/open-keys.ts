import { expect } from 'vitest';
import type { Scope } from '#shared/wire/account.ts';
import { type ApiKey, apiKeyList, createdApiKey } from '#shared/wire/key.ts';
import { allScopes } from '../../gateway/access/auth/scopes.ts';
import { openTestGateway, type TestGatewayOptions } from './open-test-gateway.ts';

/** The scopes of a key that may make keys itself. */
export const minting = { scopes: allScopes };

export const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

/**
 * Opens a gateway with functions to make and change keys. By default the caller is the account's own
 * key, which the operator made.
 */
export async function openKeys(options: TestGatewayOptions = {}) {
  const opened = await openTestGateway(options);
  const { gateway, account, post, call } = opened;
  const mint = async (body: object, key = opened.key) => {
    const response = await post('/v1/keys', body, as(key));
    expect(response.status).toBe(201);
    return createdApiKey.parse(await response.json());
  };
  const change = (id: string, body: object, key = opened.key) =>
    post(`/v1/keys/${id}`, body, { method: 'PATCH', ...as(key) });
  const revoke = (id: string, key = opened.key) => call(`/v1/keys/${id}`, { method: 'DELETE', ...as(key) });
  const chat = (key: string, body: object = {}) =>
    post('/chat', { model: 'sandbox/echo', prompt: 'hi', ...body }, as(key));
  const list = async (key = opened.key): Promise<ApiKey[]> =>
    apiKeyList.parse(await (await call('/v1/keys?limit=100', as(key))).json()).data;
  /** Makes a user and returns a token for them. */
  const login = async (scopes: readonly Scope[] = allScopes, lifetimeS = 900) => {
    const user = await gateway.operator.createUser({ accountId: account.id, name: 'Ada' });
    return { user: user.id, ...(await gateway.operator.issueToken({ userId: user.id, scopes, lifetimeS })) };
  };
  return { ...opened, mint, change, revoke, chat, list, login };
}
