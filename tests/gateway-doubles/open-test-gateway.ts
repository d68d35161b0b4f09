import { onTestFinished } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import type { Scope } from '#shared/wire/account.ts';
import { allScopes } from '../../gateway/access/auth/scopes.ts';
import type { GatewayOptions } from '../../gateway/gateway.ts';
import { openGateway } from '../../gateway/open-gateway.ts';
import { testDatabase, testPepper } from './test-database.ts';

export interface TestGatewayOptions extends Partial<GatewayOptions> {
  readonly plan?: string;
  readonly balance?: string;
  readonly scopes?: readonly Scope[];
}

/** 20 November 2026, noon UTC. */
export const testNow = Date.UTC(2026, 10, 20, 12);

/** Opens a real gateway in memory with one account, one key, and a clock that moves only when the test moves it. */
export async function openTestGateway({
  plan,
  balance = '10',
  scopes = allScopes,
  ...options
}: TestGatewayOptions = {}) {
  let time = testNow;
  const entries: Readonly<Record<string, unknown>>[] = [];
  const gateway = await openGateway({
    database: await testDatabase(),
    env: { PORTICO_KEY_PEPPER: testPepper },
    sandboxPace: 0,
    now: () => time,
    log: (entry) => void entries.push(entry),
    ...options,
  });
  onTestFinished(() => gateway.close());
  const account = await gateway.operator.createAccount({ name: 'Tester', ...(plan === undefined ? {} : { plan }) });
  if (balance !== '0') await gateway.operator.grant({ accountId: account.id, amount: parseUsd(balance) });
  const { id: keyId, key } = await gateway.operator.createKey({
    accountId: account.id,
    label: 'test',
    scopes,
  });
  const call = (path: string, init: RequestInit & { key?: string | null } = {}) => {
    const headers = new Headers(init.headers);
    const used = init.key === undefined ? key : init.key;
    if (used !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${used}`);
    return gateway.fetch(new Request(`http://127.0.0.1${path}`, { ...init, headers }));
  };
  const post = (path: string, body: unknown, init: RequestInit = {}) =>
    call(path, {
      method: 'POST',
      body: JSON.stringify(body),
      ...init,
      headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
    });
  const pass = (ms: number) => {
    time += ms;
  };
  return { gateway, account, keyId, key, call, post, entries, pass };
}

/** Returns the stable code of an error response. */
export async function errorCode(response: Response): Promise<string> {
  const body = (await response.json()) as { error?: { code?: string } };
  return body.error?.code ?? `${response.status} without an error`;
}
