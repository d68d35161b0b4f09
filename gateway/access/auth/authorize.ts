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
  /** Plans by their ids; those that ship unless others are defined. */
  readonly getPlan?: PlanOf;
  /** Called with the secret that an API key was found with. */
  readonly onKeyFound?: ((pepper: Uint8Array) => void) | null;
}

export interface Authorizer {
  /** Who asks, at once where that was asked lately. Rejects with 401 where it is not known. */
  authenticate(header: string | null): MaybePromise<Principal>;
  /** Forgets what is cached, so that a change made here is seen at once. */
  forget(): void;
}

/** The one place where a credential becomes a principal. */
export function createAuthorizer(deps: AuthorizeDeps): Authorizer {
  const { db, now, getPlan = shippedPlan } = deps;
  const keys = createKeyCache({ ...deps, getPlan, onFound: deps.onKeyFound ?? null });
  const tokens = createTokenVerifier({ db, now, getPlan, names: deps.tokenNames ?? defaultTokenNames });
  const marked = new Map<string, number>();
  let toMark: string[] = [];
  const markAll = createBatches(async () => {
    const ids = toMark;
    toMark = [];
    await markUsed(db, ids, now());
  });

  /** Who asked with this header within the last seconds, if that may go on without another look. */
  function recent(header: string): Principal | null {
    const principal = keys.recent(header);
    if (!principal) return null;
    const time = now();
    return hasEnded(principal, time) || isUseUnmarked(principal, time) ? null : principal;
  }

  function isUseUnmarked({ credential: { id, lastUsedAt } }: Principal, time: number): boolean {
    return id !== null && time - (marked.get(id) ?? (lastUsedAt ?? 0) * 1000) >= lastUsedEveryMs;
  }

  async function mark(principal: Principal, time: number): Promise<void> {
    const { id } = principal.credential;
    if (id === null || !isUseUnmarked(principal, time)) return;
    if (marked.size >= cacheLimit) marked.clear();
    marked.set(id, time);
    toMark.push(id);
    await markAll();
  }

  async function look(header: string | null): Promise<Principal> {
    const presented = parseAuthorization(header);
    if (presented.type === 'jwt') return tokens.verify(presented.token);
    const principal = keys.recent(header ?? '') ?? (await keys.read(header ?? '', presented.key));
    const time = now();
    requireNotEnded(principal, time);
    await mark(principal, time);
    return principal;
  }

  return {
    authenticate: (header) => (header === null ? null : recent(header)) ?? look(header),
    forget() {
      keys.forget();
      tokens.forget();
    },
  };
}

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

/** In one order, which is that of the ledger's groups: none of them waits for another that waits for it. */
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
