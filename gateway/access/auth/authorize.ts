import { AppError } from '#shared/errors.ts';
import type { Scope } from '#shared/wire/account.ts';
import type { MaybePromise } from '../../runtime/concurrency/awaitable.ts';
import { createBatches } from '../../runtime/concurrency/batches.ts';
import { dialectOfDb, type GatewayDb } from '../../storage/open-database.ts';
import { parseAuthorization } from './authorization-header.ts';
import { createKeyCache } from './key-cache.ts';
import { hasEnded, requireNotEnded } from './key-principal.ts';
import type { Peppers } from './pepper.ts';
import { type PlanOf, getPlan as shippedPlan } from './plans.ts';
import type { Principal } from './principal.ts';
import { defaultTokenNames, type TokenNames } from './token-names.ts';
import { createTokenVerifier } from './verify-token.ts';

const cacheLimit = 10_000;
const lastUsedEveryMs = 60_000;

export interface AuthorizeDeps {
  readonly db: GatewayDb;
  readonly peppers: Peppers;
  readonly now: () => number;
  readonly tokenNames?: TokenNames;
  /** Looks up a plan by its id. Defaults to the plans that ship with the gateway. */
  readonly getPlan?: PlanOf;
  /** Called with the pepper with which an API key was found. */
  readonly onKeyFound?: ((pepper: Uint8Array) => void) | null;
}

export interface Authorizer {
  /** Returns the caller, at once if it's cached. Rejects with 401 when the credential isn't valid. */
  authenticate(header: string | null): MaybePromise<Principal>;
  /** Empties the caches, so that a change made by this process takes effect at once. */
  forget(): void;
}

/** The one place where a credential becomes a principal. */
export function createAuthorizer(deps: AuthorizeDeps): Authorizer {
  const { db, now, getPlan = shippedPlan } = deps;
  const keys = createKeyCache({ ...deps, getPlan, onFound: deps.onKeyFound ?? null });
  const tokens = createTokenVerifier({ db, now, getPlan, names: deps.tokenNames ?? defaultTokenNames });
  const markedAt = new Map<string, number>();
  let unmarkedIds: string[] = [];
  const writeMarks = createBatches(async () => {
    const ids = unmarkedIds;
    unmarkedIds = [];
    await markUsed(db, ids, now());
  });

  /** Returns the cached principal of this header if nothing has to be checked or written for it. */
  function getRecent(header: string): Principal | null {
    const principal = keys.getRecent(header);
    if (!principal) return null;
    const time = now();
    return hasEnded(principal, time) || isUseUnmarked(principal, time) ? null : principal;
  }

  function isUseUnmarked({ credential: { id, lastUsedAt } }: Principal, time: number): boolean {
    return id !== null && time - (markedAt.get(id) ?? (lastUsedAt ?? 0) * 1000) >= lastUsedEveryMs;
  }

  async function markUse(principal: Principal, time: number): Promise<void> {
    const { id } = principal.credential;
    if (id === null || !isUseUnmarked(principal, time)) return;
    if (markedAt.size >= cacheLimit) markedAt.clear();
    markedAt.set(id, time);
    unmarkedIds.push(id);
    await writeMarks();
  }

  async function readPrincipal(header: string | null): Promise<Principal> {
    const presented = parseAuthorization(header);
    if (presented.type === 'jwt') return tokens.verify(presented.token);
    const principal = keys.getRecent(header ?? '') ?? (await keys.read(header ?? '', presented.key));
    const time = now();
    requireNotEnded(principal, time);
    await markUse(principal, time);
    return principal;
  }

  return {
    authenticate: (header) => (header === null ? null : getRecent(header)) ?? readPrincipal(header),
    forget() {
      keys.forget();
      tokens.forget();
    },
  };
}

/** Throws 403 `insufficient_scope` when the credential lacks the scope. No scope implies another (§4.5). */
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

/** Throws 403 `account_suspended` when the account isn't active. */
export function requireActive(principal: Principal): void {
  if (principal.accountStatus === 'active') return;
  throw new AppError('account_suspended', `This account is ${principal.accountStatus}. Ask the gateway's operator.`);
}

/** Throws 403 `plan_required` when the account's plan lacks the feature. */
export function requireFeature({ plan }: Principal, feature: string): void {
  if (plan.features.includes(feature)) return;
  throw new AppError('plan_required', `This account's plan does not include "${feature}".`, { details: { feature } });
}

/** Returns the `WWW-Authenticate` header for an error (wire contract §4.4, RFC 6750), or null. */
export function challengeFor(error: AppError): string | null {
  if (error.code === 'insufficient_scope') {
    return `Bearer realm="api", error="insufficient_scope", scope="${String(error.details?.scope ?? '')}"`;
  }
  if (error.status !== 401) return null;
  const reason = error.code === 'missing_credentials' ? '' : ', error="invalid_token"';
  return `Bearer realm="api"${reason}, ApiKey realm="api"`;
}

/** Locks the keys in the order of their ids, as the ledger's groups do, which rules out deadlocks between them. */
async function markUsed(db: GatewayDb, ids: readonly string[], now: number): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: BigInt(now) })
    .where('id', 'in', (keys) =>
      keys
        .selectFrom('api_keys')
        .select('id')
        .where('id', 'in', ids)
        .orderBy('id')
        .$if(dialectOfDb(db) === 'postgres', (rows) => rows.forNoKeyUpdate()),
    )
    .execute();
}
