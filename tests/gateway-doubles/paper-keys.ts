import type { Scope } from '#shared/wire/account.ts';

/**
 * The rules for who may do what with keys (decision 029), written a second time as a model: rules over a
 * tree of objects that share nothing with the gateway's code. Times are Unix seconds, limits are
 * nano-USD, infinity means no limit.
 */

export interface PaperUser {
  readonly id: string;
  disabled: boolean;
  tokensFrom: number;
}

export interface PaperAccount {
  suspended: boolean;
  tokensFrom: number;
}

/** A key or a token. */
export interface Paper {
  readonly id: string;
  readonly secret: string;
  readonly parent: Paper | null;
  /** The user of a token; null for a key. */
  readonly user: PaperUser | null;
  readonly issued: number;
  scopes: readonly Scope[];
  end: number;
  limit: number;
  revoked: boolean;
}

/** What a caller may request for a new key or a change. An absent field isn't part of the request. */
export interface Wish {
  readonly scopes?: readonly Scope[] | undefined;
  readonly end?: number | undefined;
  readonly limit?: number | undefined;
}

const getAncestry = (credential: Paper): Paper[] => [
  credential,
  ...(credential.parent ? getAncestry(credential.parent) : []),
];

/** Returns what a credential may do: the strictest of what it and each of its ancestors allows. */
export const worth = (credential: Paper) => ({
  scopes: credential.scopes.filter((scope) => getAncestry(credential).every(({ scopes }) => scopes.includes(scope))),
  end: Math.min(...getAncestry(credential).map(({ end }) => end)),
  limit: Math.min(...getAncestry(credential).map(({ limit }) => limit)),
});

/** Returns why a credential is refused, or null. A token is accepted for 30 seconds after its end. */
export function toRefusal(credential: Paper, account: PaperAccount, now: number): string | null {
  const isEnded = getAncestry(credential).some(
    ({ revoked, user, issued }) =>
      revoked || (user !== null && (user.disabled || issued < user.tokensFrom || issued < account.tokensFrom)),
  );
  if (credential.user) return credential.end + 30 <= now ? 'token_expired' : isEnded ? 'invalid_token' : null;
  if (isEnded) return 'invalid_api_key';
  return worth(credential).end <= now ? 'api_key_expired' : null;
}

const manages = (credential: Paper, account: PaperAccount, now: number) =>
  toRefusal(credential, account, now) === null && !account.suspended && worth(credential).scopes.includes('account');

/** Returns whether a credential may manage a key of its account. */
const reaches = (credential: Paper, key: Paper) =>
  credential.user !== null ||
  (credential.parent === null && credential.end === Infinity && credential.limit === Infinity)
    ? true
    : getAncestry(key).includes(credential);

export function mayMint(by: Paper, wish: Wish, account: PaperAccount, now: number): boolean {
  const own = worth(by);
  const scopes = wish.scopes ?? own.scopes.filter((scope) => scope !== 'account');
  const limited = getAncestry(by).findLastIndex(({ limit }) => limit !== Infinity) + 1;
  return (
    manages(by, account, now) &&
    (wish.scopes !== undefined || scopes.length > 0) &&
    scopes.every((scope) => own.scopes.includes(scope)) &&
    (wish.limit ?? 0) <= own.limit &&
    (wish.end ?? own.end) <= own.end &&
    (wish.end ?? own.end) > now &&
    limited < 4
  );
}

export const mayEnd = (by: Paper, key: Paper, account: PaperAccount, now: number) =>
  manages(by, account, now) && reaches(by, key);

export function mayChange(by: Paper, key: Paper, wish: Wish, account: PaperAccount, now: number): boolean {
  const above = key.parent ? worth(key.parent) : { end: Infinity, limit: Infinity };
  const asker = by.user !== null ? { end: Infinity, limit: Infinity } : worth(by);
  const present = worth(key);
  // A credential that is limited itself may only make limits stricter.
  const maxEnd = Math.min(above.end, asker.end === Infinity ? Infinity : present.end);
  const maxLimit = Math.min(above.limit, asker.limit === Infinity ? Infinity : present.limit);
  return (
    mayEnd(by, key, account, now) &&
    (wish.end === undefined || (wish.end <= maxEnd && wish.end > now)) &&
    (wish.limit === undefined || wish.limit <= maxLimit)
  );
}
