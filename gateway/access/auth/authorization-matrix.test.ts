import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ErrorCode, errorKinds } from '#shared/errors.ts';
import { parseUsd } from '#shared/money.ts';
import type { Scope } from '#shared/wire/account.ts';
import { testReceiving } from '../../../tests/gateway-doubles/test-receiving.ts';
import { figure } from '../../../tests/support/figures.ts';
import type { OwnGateway } from '../../gateway.ts';
import { createApp } from '../../http/app.ts';
import type { AppEnv } from '../../http/context.ts';
import { type RoutePolicy, routePolicies } from '../../http/policies.ts';
import { openGateway } from '../../open-gateway.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { createApiKey } from './api-key.ts';
import { allScopes } from './scopes.ts';

/**
 * Who may do what (wire contract §4.4, §4.5): every role on every route in every header form. The expected results are written
 * down here and share nothing with the code.
 */

interface Role {
  readonly name: string;
  readonly credential: string | null;
  readonly kind: 'key' | 'token';
  readonly scopes: readonly Scope[];
  /** The error with which the credential itself is refused. */
  readonly refused?: ErrorCode;
  readonly suspended?: boolean;
}

interface Carrier {
  readonly name: string;
  readonly place: 'bearer' | 'apikey' | 'malformed' | 'elsewhere' | 'key header';
  readonly headers: (credential: string) => Record<string, string>;
  readonly query?: (credential: string) => string;
}

const authorization = (name: string, place: Carrier['place'], text: (credential: string) => string): Carrier => ({
  name,
  place,
  headers: (credential) => ({ authorization: text(credential) }),
});

const carriers: readonly Carrier[] = [
  authorization('Bearer', 'bearer', (credential) => `Bearer ${credential}`),
  authorization('bearer', 'bearer', (credential) => `bearer ${credential}`),
  authorization('ApiKey', 'apikey', (credential) => `ApiKey ${credential}`),
  authorization('APIKEY', 'apikey', (credential) => `APIKEY ${credential}`),
  authorization('Basic', 'malformed', (credential) => `Basic ${credential}`),
  authorization('no scheme', 'malformed', (credential) => credential),
  authorization('two spaces', 'malformed', (credential) => `Bearer  ${credential}`),
  authorization('two credentials', 'malformed', (credential) => `Bearer ${credential}, Bearer ${credential}`),
  { name: 'x-api-key', place: 'key header', headers: (credential) => ({ 'x-api-key': credential }) },
  { name: 'cookie', place: 'elsewhere', headers: (credential) => ({ cookie: `token=${credential}` }) },
  { name: 'query', place: 'elsewhere', headers: () => ({}), query: (credential) => `?access_token=${credential}` },
];

/** Returns the code with which a call is refused, or null when it reaches the route. */
function expected(role: Role, carrier: Carrier, { access, takesApiKeyHeader }: RoutePolicy): ErrorCode | null {
  if (access === 'public') return null;
  const isElsewhere = carrier.place === 'elsewhere' || (carrier.place === 'key header' && !takesApiKeyHeader);
  if (role.credential === null || isElsewhere) return 'missing_credentials';
  if (carrier.place === 'malformed') return 'malformed_authorization';
  if (['apikey', 'key header'].includes(carrier.place) && role.kind === 'token') return 'invalid_api_key';
  if (role.refused) return role.refused;
  if (access === 'any') return null;
  if (!role.scopes.includes(access)) return 'insufficient_scope';
  return role.suspended ? 'account_suspended' : null;
}

const directory = mkdtempSync(join(tmpdir(), 'portico-matrix-'));
const database = join(directory, 'ledger.db');
let time = Date.UTC(2026, 10, 20);
let gateway: OwnGateway;
let roles: Role[];
/** A request of the first account. */
let requestId: string;

const day = 24 * 3600;

async function makeRoles(): Promise<Role[]> {
  const { operator } = gateway;
  const account = async (name: string) => (await operator.createAccount({ name, plan: 'enterprise' })).id;
  const [good, bad] = [await account('Good'), await account('Suspended')];
  await operator.grant({ accountId: good, amount: parseUsd('1') });
  const user = async (accountId: string) => (await operator.createUser({ accountId, name: 'Ada' })).id;
  const [ada, gone, suspended] = [await user(good), await user(good), await user(bad)];
  const key = (accountId: string, scopes: readonly Scope[]) => operator.createKey({ accountId, scopes });
  const token = (userId: string, scopes: readonly Scope[], lifetimeS = day) =>
    operator.issueToken({ userId, scopes, lifetimeS });
  const [revokedKey, expiredKey] = [await key(good, allScopes), await key(good, allScopes)];
  const [revokedToken, expiredToken] = [await token(ada, allScopes), await token(ada, allScopes, 1)];
  const disabledToken = await token(gone, allScopes);
  const suspendedRoles: Role[] = [
    {
      name: 'key, suspended',
      credential: (await key(bad, allScopes)).key,
      kind: 'key',
      scopes: allScopes,
      suspended: true,
    },
    {
      name: 'token, suspended',
      credential: (await token(suspended, allScopes)).token,
      kind: 'token',
      scopes: allScopes,
      suspended: true,
    },
  ];
  await operator.revokeKey(revokedKey.id);
  await operator.revokeTokens(revokedToken.id);
  await operator.setUserStatus(gone, 'disabled');
  const { db } = await openDatabase(database);
  await db.updateTable('accounts').set({ status: 'suspended' }).where('id', '=', bad).execute();
  await db
    .updateTable('api_keys')
    .set({ expires_at: BigInt(time) })
    .where('id', '=', expiredKey.id)
    .execute();
  await db.destroy();
  const sets: readonly (readonly Scope[])[] = [allScopes, ['chat'], ['models'], ['account'], []];
  const byScopes = await Promise.all(
    sets.map(
      async (scopes): Promise<Role[]> => [
        { name: `key [${scopes}]`, credential: (await key(good, scopes)).key, kind: 'key', scopes },
        { name: `token [${scopes}]`, credential: (await token(ada, scopes)).token, kind: 'token', scopes },
      ],
    ),
  );
  const refused = (name: string, kind: Role['kind'], credential: string, code: ErrorCode): Role => ({
    name,
    kind,
    credential,
    scopes: allScopes,
    refused: code,
  });
  const valid = byScopes[0]?.[1]?.credential ?? '';
  return [
    { name: 'nobody', credential: null, kind: 'key', scopes: [] },
    ...byScopes.flat(),
    ...suspendedRoles,
    refused('key, unknown', 'key', createApiKey(), 'invalid_api_key'),
    refused('key, revoked', 'key', revokedKey.key, 'invalid_api_key'),
    refused('key, expired', 'key', expiredKey.key, 'api_key_expired'),
    refused('token, forged', 'token', `${valid.slice(0, -4)}AAAA`, 'invalid_token'),
    refused('token, revoked', 'token', revokedToken.token, 'invalid_token'),
    refused('token, disabled user', 'token', disabledToken.token, 'invalid_token'),
    refused('token, expired', 'token', expiredToken.token, 'token_expired'),
  ];
}

beforeAll(async () => {
  gateway = await openGateway({ database, sandboxPace: 0, now: () => time });
  roles = await makeRoles();
  time += 60_000;
  const headers = { authorization: `Bearer ${roles[1]?.credential}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'sandbox/echo', prompt: 'hi' });
  const answer = await gateway.fetch(new Request('http://127.0.0.1/chat', { method: 'POST', headers, body }));
  requestId = answer.headers.get('x-request-id') ?? '';
  await answer.text();
});
afterAll(async () => {
  await gateway.close();
  rmSync(directory, { recursive: true, force: true });
});

const realPath = ({ path }: RoutePolicy) =>
  path.replace('/v1/models/*', '/v1/models/router').replace('/v1/requests/*', `/v1/requests/${requestId}`);

/** Calls a route with an empty body: a chat that passes authorization is refused for its missing fields and costs nothing. */
async function ask(role: Role, carrier: Carrier, policy: RoutePolicy) {
  // The calls are so far apart that neither rate limits nor limits on failures apply.
  time += 4000;
  const credential = role.credential ?? '';
  const headers = {
    ...(policy.method === 'GET' ? {} : { 'content-type': 'application/json' }),
    ...(role.credential === null ? {} : carrier.headers(credential)),
  };
  const path = `${realPath(policy)}${role.credential === null ? '' : (carrier.query?.(credential) ?? '')}`;
  const init = { method: policy.method, headers, ...(policy.method === 'GET' ? {} : { body: '{}' }) };
  const response = await gateway.fetch(new Request(`http://127.0.0.1${path}`, init));
  const text = await response.text();
  const isRefusal = response.status === 401 || response.status === 403 || response.status === 429;
  const code = isRefusal ? (JSON.parse(text).error.code as ErrorCode) : null;
  return {
    response,
    code,
    known: response.status !== 404 || (text.startsWith('{') && !text.includes('unknown_endpoint')),
  };
}

test('every role gets exactly what it may on every route and in every header form', async () => {
  expect(new Set(roles.map((role) => role.name)).size).toBeGreaterThanOrEqual(18);
  const deviations: string[] = [];
  let calls = 0;
  for (const role of roles) {
    for (const policy of routePolicies) {
      for (const carrier of role.credential === null ? carriers.slice(0, 1) : carriers) {
        const { response, code, known } = await ask(role, carrier, policy);
        const wanted = expected(role, carrier, policy);
        const challenge = response.headers.get('www-authenticate');
        const challenged = (challenge !== null) === (response.status === 401 || code === 'insufficient_scope');
        const status =
          wanted === null
            ? response.status < 401 || response.status === 404
            : response.status === errorKinds[wanted].status;
        if (code !== wanted || !status || !challenged || !known) {
          deviations.push(
            `${role.name} ${carrier.name} ${policy.method} ${policy.path}: ${response.status} ${code}, not ${wanted}`,
          );
        }
        calls++;
      }
    }
  }
  expect(deviations).toEqual([]);
  expect(calls).toBeGreaterThan(3000);
  figure(
    'authorization',
    `${roles.length} roles, ${routePolicies.length} routes, ${carriers.length} carriers: ${calls} calls, 0 deviations`,
  );
});

test('a token of another account finds nothing of this account', async () => {
  const { operator } = gateway;
  const { id } = await operator.createAccount({ name: 'Other', plan: 'enterprise' });
  const user = await operator.createUser({ accountId: id, name: 'Eve' });
  const { token } = await operator.issueToken({ userId: user.id, scopes: allScopes, lifetimeS: 60 });
  const headers = { authorization: `Bearer ${token}` };
  const read = async (path: string) =>
    (await gateway.fetch(new Request(`http://127.0.0.1${path}`, { headers }))).json();
  expect(await read(`/v1/requests/${requestId}`)).toMatchObject({ error: { code: 'request_not_found' } });
  expect(await read('/v1/requests')).toMatchObject({ data: [] });
  expect(await read('/account')).toMatchObject({ id, balance: { amount: '0' }, usage: { requests: 0 } });
});

describe('the list of routes', () => {
  const appWith = (routes: Hono<AppEnv>) =>
    createApp(
      testReceiving({
        authorizer: { authenticate: () => Promise.reject(new Error('nobody asks')), forget: () => {} },
      }),
      [routes],
    );

  test.each([
    ['a path without a policy', new Hono<AppEnv>().get('/v1/secrets', (context) => context.text('all of them'))],
    ['a method without a policy', new Hono<AppEnv>().delete('/account', (context) => context.text('gone'))],
    ['a parameter without a policy', new Hono<AppEnv>().get('/v1/users/:id{.+}', (context) => context.text('one'))],
    ['a handler for every method', new Hono<AppEnv>().all('/account', (context) => context.text('any'))],
  ])('the start fails for %s before anything is served', (_what, routes) => {
    expect(() => appWith(routes)).toThrow(/has no policy/);
  });

  test('the start accepts a route with a policy', () => {
    expect(() => appWith(new Hono<AppEnv>().get('/v1/models/:id{.+}', (context) => context.text('')))).not.toThrow();
  });
});
