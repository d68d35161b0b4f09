import type { Scope } from '#shared/wire/account.ts';

/**
 * Who may do what with keys (decision 029), on paper: rules over a tree of objects, written a second time and sharing nothing
 * with the gateway. Times in Unix seconds, limits in nano-USD; infinity: without.
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
  /** Of a token. */
  readonly user: PaperUser | null;
  readonly issued: number;
  scopes: readonly Scope[];
  end: number;
  limit: number;
  revoked: boolean;
}

/** What may be asked for a new or another key; what is absent is not said. */
export interface Wish {
  readonly scopes?: readonly Scope[] | undefined;
  readonly end?: number | undefined;
  readonly limit?: number | undefined;
}

const getLine = (one: Paper): Paper[] => [one, ...(one.parent ? getLine(one.parent) : [])];

/** What a credential is worth: the least of what each of its line allows. */
export const worth = (one: Paper) => ({
  scopes: one.scopes.filter((scope) => getLine(one).every(({ scopes }) => scopes.includes(scope))),
  end: Math.min(...getLine(one).map(({ end }) => end)),
  limit: Math.min(...getLine(one).map(({ limit }) => limit)),
});

/** Why a credential is refused, or null. A token is taken 30 seconds longer than it lives. */
export function toRefusal(one: Paper, account: PaperAccount, now: number): string | null {
  const isEnded = getLine(one).some(
    ({ revoked, user, issued }) =>
      revoked || (user !== null && (user.disabled || issued < user.tokensFrom || issued < account.tokensFrom)),
  );
  if (one.user) return one.end + 30 <= now ? 'token_expired' : isEnded ? 'invalid_token' : null;
  if (isEnded) return 'invalid_api_key';
  return worth(one).end <= now ? 'api_key_expired' : null;
}

const manages = (one: Paper, account: PaperAccount, now: number) =>
  toRefusal(one, account, now) === null && !account.suspended && worth(one).scopes.includes('account');

/** Whether a credential reaches a key of its account. */
const reaches = (one: Paper, key: Paper) =>
  one.user !== null || (one.parent === null && one.end === Infinity && one.limit === Infinity)
    ? true
    : getLine(key).includes(one);

export function mayMint(by: Paper, wish: Wish, account: PaperAccount, now: number): boolean {
  const own = worth(by);
  const scopes = wish.scopes ?? own.scopes.filter((scope) => scope !== 'account');
  const limited = getLine(by).findLastIndex(({ limit }) => limit !== Infinity) + 1;
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
  // Who is bound itself may only narrow.
  const maxEnd = Math.min(above.end, asker.end === Infinity ? Infinity : present.end);
  const maxLimit = Math.min(above.limit, asker.limit === Infinity ? Infinity : present.limit);
  return (
    mayEnd(by, key, account, now) &&
    (wish.end === undefined || (wish.end <= maxEnd && wish.end > now)) &&
    (wish.limit === undefined || wish.limit <= maxLimit)
  );
}
