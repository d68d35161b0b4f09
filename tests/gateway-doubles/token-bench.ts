import { createSign, type KeyObject } from 'node:crypto';
import { createAuthorizer } from '../../gateway/access/auth/authorize.ts';
import type { Peppers } from '../../gateway/access/auth/pepper.ts';
import { signingKey } from '../../gateway/access/auth/signing-keys.ts';
import { defaultTokenNames } from '../../gateway/access/auth/token-names.ts';
import { createOperator } from '../../gateway/operations/operator/operator-store.ts';
import { openDatabase } from '../../gateway/storage/open-database.ts';
import { createTransact } from '../../gateway/storage/transact.ts';
import { testDatabase } from './test-database.ts';

const tokenTestStart = Date.UTC(2026, 10, 20, 12);
const skewMs = 30_000;

export type Json = Readonly<Record<string, unknown>>;

export const base64url = (text: string | Uint8Array) => Buffer.from(text).toString('base64url');
const encoded = (part: Json | string) => base64url(typeof part === 'string' ? part : JSON.stringify(part));

export const rs256 = (input: string, key: KeyObject) => createSign('RSA-SHA256').update(input).sign(key, 'base64url');

/**
 * Opens a real ledger, operator and authorizer with one user, and a function that signs any
 * token that a forger might want.
 */
export async function openTokenBench() {
  const gatewayDb = await openDatabase(await testDatabase());
  const transact = createTransact(gatewayDb);
  const peppers: Peppers = [Buffer.alloc(32, 7)];
  let time = tokenTestStart;
  const now = () => time;
  const deps = { db: gatewayDb.db, transact, peppers, now };
  const operator = createOperator({ ...deps, credentialsChanged: () => {} });
  const account = await operator.createAccount({ name: 'Team' });
  const user = await operator.createUser({ accountId: account.id, name: 'Ada' });
  const issue = (lifetimeS = 900) => operator.issueToken({ userId: user.id, scopes: ['chat', 'models'], lifetimeS });
  await issue();
  const { kid, key } = await signingKey(deps);
  const seconds = tokenTestStart / 1000;
  const header: Json = { alg: 'RS256', typ: 'JWT', kid };
  const claims: Json = {
    sub: user.id,
    iss: defaultTokenNames.issuer,
    aud: defaultTokenNames.audience,
    iat: seconds,
    exp: seconds + 900,
    scope: ['chat'],
  };
  return {
    ...gatewayDb,
    ...deps,
    operator,
    account,
    user,
    issue,
    kid,
    key,
    header,
    claims,
    seconds,
    skewMs,
    /** Makes a new authorizer, which remembers nothing of earlier calls. */
    authorizer: () => createAuthorizer({ db: gatewayDb.db, peppers, now }),
    signed(head: Json | string, payload: Json | string, sign = (input: string) => rs256(input, key)) {
      const input = `${encoded(head)}.${encoded(payload)}`;
      return `${input}.${sign(input)}`;
    },
    pass(ms: number) {
      time += ms;
    },
    close: () => gatewayDb.db.destroy(),
  };
}

export type TokenBench = Awaited<ReturnType<typeof openTokenBench>>;
