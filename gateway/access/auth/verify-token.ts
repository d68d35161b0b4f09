import { createHash } from 'node:crypto';
import { errors, type JWK, jwtVerify } from 'jose';
import { AppError } from '#shared/errors.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import type { PlanOf } from './plans.ts';
import type { Principal } from './principal.ts';
import { knownScopes } from './scopes.ts';
import { publishedKeys, toJwk } from './signing-keys.ts';
import { clockSkewS, maxLifetimeS, type TokenClaims, tokenClaims, tokenHeader } from './token-claims.ts';
import type { TokenNames } from './token-names.ts';

/** Keys and revocations are read again after this time, so a change takes effect everywhere within it (§4.2). */
const cacheMs = 2000;
const cacheLimit = 10_000;

export interface TokenVerifierDeps {
  readonly db: GatewayDb;
  readonly now: () => number;
  readonly names: TokenNames;
  readonly getPlan: PlanOf;
}

export interface TokenVerifier {
  /** Returns the caller that the token represents. Throws 401 `token_expired` or `invalid_token`. */
  verify(token: string): Promise<Principal>;
  forget(): void;
}

/** Whether a cached value may still be used. The second comparison keeps it from living longer when the clock is set back. */
export const isFresh = (until: number, now: number): boolean => until > now && until <= now + cacheMs;

/** Verifies tokens against the published keys and the database, without calling any other server (wire contract §4.6). */
export function createTokenVerifier({ db, now, names, getPlan }: TokenVerifierDeps): TokenVerifier {
  const cache = new Map<string, { principal: Principal; until: number }>();
  let keys: { byKid: ReadonlyMap<string, JWK>; until: number } | null = null;

  async function currentKeys(): Promise<ReadonlyMap<string, JWK>> {
    if (keys && isFresh(keys.until, now())) return keys.byKid;
    const rows = await publishedKeys(db, now());
    keys = { byKid: new Map(rows.map((row) => [row.kid, toJwk(row)])), until: now() + cacheMs };
    return keys.byKid;
  }

  async function check(token: string): Promise<Principal> {
    const key = keyFor(readHeader(token), await currentKeys());
    const claims = key && (await verifiedClaims(token, key, names, now()));
    if (!claims) throw invalid();
    return principalFor(db, claims, key.kid, getPlan);
  }

  return {
    async verify(token) {
      const digest = createHash('sha256').update(token).digest('base64');
      const cached = cache.get(digest);
      if (cached && isFresh(cached.until, now())) return requireNotExpired(cached.principal, now());
      const principal = await check(token);
      if (cache.size >= cacheLimit) cache.clear();
      cache.set(digest, { principal, until: now() + cacheMs });
      return principal;
    },
    forget() {
      cache.clear();
      keys = null;
    },
  };
}

/** One message for every reason, so a forger learns nothing from it. */
const invalid = () =>
  new AppError('invalid_token', 'This token is not valid here. Get a new one from whoever issued it.');
const expired = () => new AppError('token_expired', 'This token has expired. Get a new one.');

/** Returns the header of a token in the only spelling that its issuer can have written: three parts in canonical base64url. */
function readHeader(token: string): { readonly kid: string | undefined } {
  const parts = token.split('.');
  const [head = ''] = parts;
  if (parts.length !== 3 || !parts.every(isCanonical)) throw invalid();
  const header = tokenHeader.safeParse(parseJson(Buffer.from(head, 'base64url').toString('utf8')));
  if (!header.success) throw invalid();
  return { kid: header.data.kid };
}

/** The last character of base64url may have unused bits. If they were ignored, different texts would be the same token. */
const isCanonical = (part: string) => part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A token without a `kid` is only accepted when a single key is published (§4.6). */
function keyFor({ kid }: { kid: string | undefined }, keys: ReadonlyMap<string, JWK>): JWK | undefined {
  const [only] = keys.values();
  return kid === undefined ? (keys.size === 1 ? only : undefined) : keys.get(kid);
}

async function verifiedClaims(token: string, key: JWK, names: TokenNames, now: number): Promise<TokenClaims> {
  const { payload } = await jwtVerify(token, key, {
    issuer: names.issuer,
    audience: names.audience,
    algorithms: ['RS256'],
    typ: 'JWT',
    clockTolerance: clockSkewS,
    maxTokenAge: maxLifetimeS,
    requiredClaims: ['sub', 'iss', 'aud', 'exp', 'iat', 'scope'],
    currentDate: new Date(now),
  }).catch((error: unknown) => {
    throw error instanceof errors.JWTExpired && error.claim === 'exp' ? expired() : invalid();
  });
  const claims = tokenClaims.safeParse(payload);
  if (!claims.success) throw invalid();
  const { exp, iat } = claims.data;
  if (exp <= iat || exp - iat > maxLifetimeS) throw invalid();
  return claims.data;
}

/** A token that was verified before. Times are Unix seconds. */
interface KnownToken {
  readonly userId: string;
  readonly issued: number;
  readonly id?: string | undefined;
}

/**
 * Returns the user and the account of a token as the database has them now. Throws `invalid_token`, also for a disabled user and
 * a revoked token, which must look like any other invalid token.
 */
async function getAccount(db: GatewayDb, { userId, issued, id }: KnownToken) {
  const row = await db
    .selectFrom('users')
    .innerJoin('accounts', 'accounts.id', 'users.account_id')
    .select(['users.id', 'users.name', 'users.status as user_status', 'users.tokens_valid_after'])
    .select(['accounts.id as account_id', 'accounts.plan', 'accounts.status'])
    .select('accounts.tokens_valid_after as account_valid_after')
    .where('users.id', '=', userId)
    .executeTakeFirst();
  if (row?.user_status !== 'active') throw invalid();
  if (BigInt(issued) < row.tokens_valid_after || BigInt(issued) < row.account_valid_after) throw invalid();
  if (id !== undefined && (await isRevoked(db, id))) throw invalid();
  return row;
}

/** Does the same for a token that was admitted before, and checks that its signing key wasn't withdrawn since. */
export async function standing(db: GatewayDb, { userId, tokenId, tokenKey, credential }: Principal, now: number) {
  const published = await publishedKeys(db, now);
  if (tokenKey !== undefined && !published.some(({ kid }) => kid === tokenKey)) throw invalid();
  return getAccount(db, { userId: userId ?? '', issued: credential.created ?? 0, id: tokenId });
}

async function principalFor(
  db: GatewayDb,
  claims: TokenClaims,
  kid: string | undefined,
  getPlan: PlanOf,
): Promise<Principal> {
  const row = await getAccount(db, { userId: claims.sub, issued: claims.iat, id: claims.jti });
  return {
    accountId: row.account_id,
    accountStatus: row.status,
    plan: getPlan(row.plan),
    userId: row.id,
    ...(claims.jti === undefined ? {} : { tokenId: claims.jti }),
    ...(kid === undefined ? {} : { tokenKey: kid }),
    credential: {
      type: 'jwt',
      id: null,
      label: row.name,
      prefix: null,
      scopes: knownScopes(claims.scope),
      created: claims.iat,
      expiresAt: claims.exp,
      lastUsedAt: null,
    },
  };
}

async function isRevoked(db: GatewayDb, jti: string): Promise<boolean> {
  return Boolean(await db.selectFrom('revoked_tokens').select('jti').where('jti', '=', jti).executeTakeFirst());
}

function requireNotExpired(principal: Principal, now: number): Principal {
  const { expiresAt } = principal.credential;
  if (expiresAt !== null && expiresAt + clockSkewS <= Math.floor(now / 1000)) throw expired();
  return principal;
}
