import { AppError } from '#shared/errors.ts';
import { formatUsd, type NanoUsd } from '#shared/money.ts';
import type { Scope } from '#shared/wire/account.ts';
import type { Principal } from '../auth/principal.ts';

/** A key as it is wished for; null: without that bound. Times in Unix seconds. */
export interface KeyBounds {
  readonly spendLimit: NanoUsd | null;
  readonly expiresAt: number | null;
}

/** What a credential may give to a key: never more than it has itself (wire contract §10). */
export function boundsOf({ credential }: Principal): KeyBounds {
  // A token's own end is that of a login; the keys made while it lasts are meant to stay.
  const expiresAt = credential.type === 'api_key' ? credential.expiresAt : null;
  return { spendLimit: credential.spendLimit ?? null, expiresAt };
}

/** Throws 403 where a scope is wanted that the caller does not have. */
export function requireScopes({ credential }: Principal, wanted: readonly Scope[]): void {
  const missing = wanted.find((scope) => !credential.scopes.includes(scope));
  if (missing === undefined) return;
  throw new AppError('insufficient_scope', `A key cannot be given the scope "${missing}": this credential lacks it.`, {
    param: 'scopes',
    details: { scope: missing },
  });
}

/** Throws 400 where a bound is wider than the caller's own, or an end is not in the future. */
export function requireWithin(own: KeyBounds, wanted: Partial<KeyBounds>, nowMs: number): void {
  const { spendLimit, expiresAt } = wanted;
  if (own.spendLimit !== null && spendLimit !== undefined && (spendLimit === null || spendLimit > own.spendLimit)) {
    throw tooWide('spend_limit_usd', `may be at most ${formatUsd(own.spendLimit)}, as of the key that asks`);
  }
  if (own.expiresAt !== null && expiresAt !== undefined && (expiresAt === null || expiresAt > own.expiresAt)) {
    throw tooWide('expires_at', `may be at most ${own.expiresAt}, as of the key that asks`);
  }
  if (expiresAt != null && expiresAt * 1000 <= nowMs) throw tooWide('expires_at', 'must be in the future');
}

const tooWide = (param: string, why: string) => new AppError('invalid_value', `"${param}" ${why}.`, { param });
