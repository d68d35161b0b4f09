import { afterAll, beforeAll } from 'vitest';
import { allScopes } from '#gateway/access/auth/scopes.ts';
import { parseUsd } from '#shared/money.ts';
import type { Scope } from '#shared/wire/account.ts';
import type { ErrorBody } from '#shared/wire/error.ts';
import { Secret } from '../../../gateway/access/auth/secret.ts';
import type { OwnGateway } from '../../../gateway/gateway.ts';
import { openGateway } from '../../../gateway/open-gateway.ts';
import { recordedStreams } from '../../gateway-doubles/recorded-streams.ts';
import { testDatabase, testPepper } from '../../gateway-doubles/test-database.ts';
import { openUpstream, streamReply, type Upstream } from '../../gateway-doubles/upstream-server.ts';
import { openScriptedUpstream } from '../../support/scripted-upstream.ts';

export interface KeySetting {
  readonly plan?: string;
  readonly balance?: string;
  readonly scopes?: readonly Scope[];
  readonly spendLimit?: string;
  readonly suspended?: boolean;
}

/** 20 November 2026, noon UTC. */
const start = Date.UTC(2026, 10, 20, 12);

/**
 * Opens one gateway for a file of rows. Recorded streams play OpenAI and Anthropic, and the models of
 * `openai-compatible` fail as their names say. Each request has a key of its own, so that no row
 * reaches another row's limits.
 */
export function openContract() {
  let gateway: OwnGateway;
  let upstream: Upstream;
  let scripted: Awaited<ReturnType<typeof openScriptedUpstream>>;
  let ahead = 0;

  beforeAll(async () => {
    upstream = await openUpstream((call, response) => {
      const stream = call.path === '/v1/messages' ? recordedStreams.anthropic : recordedStreams.openai;
      return streamReply(stream.join(''))(call, response);
    });
    scripted = await openScriptedUpstream(1);
    const apiKey = new Secret('platform-key');
    gateway = await openGateway({
      database: await testDatabase(),
      env: { PORTICO_KEY_PEPPER: testPepper },
      sandboxPace: 0,
      now: () => start + ahead,
      aliases: { fast: 'openai/gpt-5.4-mini' },
      providers: {
        openai: { apiKey, baseUrl: `${upstream.origin}/v1` },
        anthropic: { apiKey, baseUrl: upstream.origin },
        'openai-compatible': { apiKey: null, baseUrl: scripted.baseUrl },
      },
    });
    const key = await newKey();
    while (!JSON.stringify(await (await call('/models', { key })).json()).includes('openai-compatible/ok.0')) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.close();
    await scripted.close();
  });

  async function newKey({
    plan = 'enterprise',
    balance = '5',
    scopes = allScopes,
    spendLimit,
    suspended,
  }: KeySetting = {}) {
    const { id: accountId } = await gateway.operator.createAccount({ name: 'Rows', plan });
    if (balance !== '0') await gateway.operator.grant({ accountId, amount: parseUsd(balance) });
    const { key } = await gateway.operator.createKey({
      accountId,
      scopes,
      ...(spendLimit === undefined ? {} : { spendLimit: parseUsd(spendLimit) }),
    });
    if (suspended) await gateway.operator.setAccountStatus(accountId, 'suspended');
    return key;
  }

  async function call(path: string, init: RequestInit & { key?: string | null } = {}): Promise<Response> {
    const key = init.key === undefined ? await newKey() : init.key;
    const headers = new Headers(init.headers);
    if (key !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${key}`);
    return gateway.fetch(new Request(`http://127.0.0.1${path}`, { ...init, headers }));
  }

  const post = (path: string, body: unknown, init: RequestInit & { key?: string | null } = {}) =>
    call(path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
      headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
    });

  return {
    newKey,
    call,
    post,
    operator: () => gateway.operator,
    /** Moves the gateway's clock forward. */
    pass: (ms: number) => {
      ahead += ms;
    },
    /** Returns the body of the provider's newest call. */
    sent: () => upstream.calls.at(-1)?.body ?? {},
    upstreamCalls: () => upstream.calls.length,
    scriptedCalls: (model: string) => scripted.calls(model).length,
  };
}

export async function refusal(response: Response) {
  const { error } = (await response.json()) as Partial<ErrorBody>;
  return { status: response.status, code: error?.code ?? null, param: error?.param ?? null };
}
