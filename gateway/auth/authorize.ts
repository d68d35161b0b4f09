import { hash, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { AppError } from '#shared/errors.ts';
import type { Scope } from '#shared/wire/account.ts';
import type { Awaitable } from '../concurrency/awaitable.ts';
import type { BooksDb } from '../db/open.ts';
import { digestOf } from './api-key.ts';
import { invalidKey, parseAuthorization } from './authorization-header.ts';
import { keyPrincipal, requireNotEnded } from './key-principal.ts';
import { keyStandings } from './key-standing.ts';
import type { Peppers } from './pepper.ts';
import type { Principal } from './principal.ts';
import { defaultTokenNames, type TokenNames } from './token-names.ts';
import { createTokenVerifier, isFresh } from './verify-token.ts';

/**
 * A revocation is seen everywhere within this time, also by an instance that hears no notification (wire contract §4.2).
 */
const cacheMs = 2000;
const cacheLimit = 10_000;
const lastUsedEveryMs = 60_000;

export interface AuthorizeDeps {
  readonly db: BooksDb;
  readonly peppers: Peppers;
  readonly now: () => number;
  readonly tokenNames?: TokenNames;
}

export interface Authorizer {
  /** Who asks, at once where that was asked lately. Rejects with 401 where it is not known. */
  authenticate(header: string | null): Awaitable<Principal>;
  /** Forgets what is cached, so that a change made here is seen at once. */
  forget(): void;
}

/** The one place where a credential becomes a principal. */
export function createAuthorizer(deps: AuthorizeDeps): Authorizer {
  const cache = new Map<string, { principal: Principal; until: number }>();
  const marked = new Map<string, number>();
  const tokens = createTokenVerifier({ db: deps.db, now: deps.now, names: deps.tokenNames ?? defaultTokenNames });

  /** Who asked with this header within the last seconds, if that may go on without another look. */
  function recent(header: string, now: number): Principal | null {
    const cached = cache.get(cacheKeyOf(header));
    if (!cached || !isFresh(cached.until, now)) return null;
    const { expiresAt } = cached.principal.credential;
    const isEnded = expiresAt !== null && expiresAt * 1000 <= now;
    return isEnded || isUseUnmarked(cached.principal, now) ? null : cached.principal;
  }

  async function find(header: string, key: string, now: number): Promise<Principal> {
    const cacheKey = cacheKeyOf(header);
    const cached = cache.get(cacheKey);
    if (cached && isFresh(cached.until, now)) return cached.principal;
    const digests = deps.peppers.map((pepper) => digestOf(key, pepper));
    const principal = await lookUp(deps.db, digests, now);
    if (cache.size >= cacheLimit) cache.clear();
    cache.set(cacheKey, { principal, until: now + cacheMs });
    return principal;
  }

  function isUseUnmarked({ credential: { id, lastUsedAt } }: Principal, now: number): boolean {
    return id !== null && now - (marked.get(id) ?? (lastUsedAt ?? 0) * 1000) >= lastUsedEveryMs;
  }

  async function markUsed(principal: Principal, now: number): Promise<void> {
    const { id } = principal.credential;
    if (id === null || !isUseUnmarked(principal, now)) return;
    if (marked.size >= cacheLimit) marked.clear();
    marked.set(id, now);
    await deps.db
      .updateTable('api_keys')
      .set({ last_used_at: BigInt(now) })
      .where('id', '=', id)
      .execute();
  }

  async function look(header: string | null): Promise<Principal> {
    const presented = parseAuthorization(header);
    if (presented.type === 'jwt') return tokens.verify(presented.token);
    const principal = await find(header ?? '', presented.key, deps.now());
    const now = deps.now();
    requireNotEnded(principal, now);
    await markUsed(principal, now);
    return principal;
  }

  return {
    authenticate: (header) => (header === null ? null : recent(header, deps.now())) ?? look(header),
    forget() {
      cache.clear();
      tokens.forget();
    },
  };
}

/** A key is random enough for a plain hash to hide it; the peppered one costs ten times as much. */
const cacheKeyOf = (header: string) => hash('sha256', header, 'base64');

/** Throws 403 `insufficient_scope` where the credential lacks the scope. No scope implies another (§4.5). */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.credential.scopes.includes(scope)) return;
  throw new AppError(
    'insufficient_scope',
    `This credential does not have the scope "${scope}". Use one that was made with it.`,
    {
      details: { scope },
    },
  );
}

/** Throws 403 `account_suspended` where the account may not be used. */
export function requireActive(principal: Principal): void {
  if (principal.accountStatus === 'active') return;
  throw new AppError('account_suspended', `This account is ${principal.accountStatus}. Ask the gateway's operator.`);
}

/** Throws 403 `plan_required` where the account's plan lacks the feature. */
export function requireFeature({ plan }: Principal, feature: string): void {
  if (plan.features.includes(feature)) return;
  throw new AppError('plan_required', `This account's plan does not include "${feature}".`, { details: { feature } });
}

/** The `WWW-Authenticate` header that goes with an error (wire contract §4.4, RFC 6750), or null. */
export function challengeFor(error: AppError): string | null {
  if (error.code === 'insufficient_scope') {
    return `Bearer realm="api", error="insufficient_scope", scope="${String(error.details?.scope ?? '')}"`;
  }
  if (error.status !== 401) return null;
  const reason = error.code === 'missing_credentials' ? '' : ', error="invalid_token"';
  return `Bearer realm="api"${reason}, ApiKey realm="api"`;
}

async function lookUp(db: BooksDb, digests: readonly Buffer[], now: number): Promise<Principal> {
  const standings = await keyStandings(db, sql`digest in (${sql.join(digests)})`, now);
  const [standing] = standings.values();
  // The same work for an unknown key: the comparison then runs against the digest itself and is discarded.
  const equal = digests.map((digest) => timingSafeEqual(digest, standing?.row.digest ?? digest)).includes(true);
  if (!standing || !equal) throw new AppError('invalid_api_key', invalidKey);
  return keyPrincipal(standing);
}
