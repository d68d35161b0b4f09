import { AppError } from '#shared/errors.ts';
import { formatUsd, type NanoUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { Scope } from '#shared/wire/account.ts';
import type { ChangeKeyRequest, CreateKeyRequest } from '#shared/wire/key.ts';
import type { KeyStanding } from '../auth/key-standing.ts';
import type { Principal } from '../auth/principal.ts';
import { clientScopes } from '../auth/scopes.ts';

/** A key as it is wished for; null: without that bound. Times in Unix seconds. */
export interface KeyBounds {
  readonly spendLimit: NanoUsd | null;
  readonly expiresAt: number | null;
}

const byAsker = 'as of the credential that asks';
const byMinter = 'as of the credential that minted it';

/**
 * The scopes of a new key: those that were asked for, else what a chat client needs as far as the creator has it. Throws 403
 * where the creator lacks one that was asked for, 400 where none was and it has nothing to give by itself.
 */
export function scopesForNew({ credential }: Principal, { scopes }: CreateKeyRequest): readonly Scope[] {
  const wanted = scopes ?? clientScopes.filter((one) => credential.scopes.includes(one));
  const missing = wanted.find((one) => !credential.scopes.includes(one));
  if (missing !== undefined) {
    throw new AppError(
      'insufficient_scope',
      `A key cannot be given the scope "${missing}": this credential lacks it. Ask for fewer, or with another credential.`,
      { param: 'scopes', details: { scope: missing } },
    );
  }
  if (scopes || wanted.length > 0) return wanted;
  throw new AppError(
    'missing_required_parameter',
    '"scopes" is missing: this credential has none of those that a key gets by itself, "chat" and "models".',
    { param: 'scopes' },
  );
}

/** What was not said is as the creator has it. Throws 400 where more is asked for. */
export function boundsForNew({ credential }: Principal, wanted: CreateKeyRequest, nowMs: number): KeyBounds {
  const own = { spendLimit: credential.spendLimit ?? null, expiresAt: credential.expiresAt };
  const bounds = {
    spendLimit: wanted.spend_limit_usd == null ? own.spendLimit : parseUsd(wanted.spend_limit_usd),
    expiresAt: wanted.expires_at ?? own.expiresAt,
  };
  requireWithin(own, bounds, byAsker);
  requireFuture(bounds, nowMs);
  return bounds;
}

/**
 * What a change asks for. Throws 400 where that is wider than what the key comes from, or, if it is a confined key that
 * asks, than the asker is or the key was: such a key only ever narrows.
 */
export function boundsForChange(
  { credential }: Principal,
  key: KeyStanding,
  wanted: ChangeKeyRequest,
  nowMs: number,
): Partial<KeyBounds> {
  const bounds: Partial<KeyBounds> = {
    ...(wanted.spend_limit_usd === undefined
      ? {}
      : { spendLimit: wanted.spend_limit_usd === null ? null : parseUsd(wanted.spend_limit_usd) }),
    ...(wanted.expires_at === undefined ? {} : { expiresAt: wanted.expires_at }),
  };
  requireWithin(inSeconds(key.above), bounds, byMinter);
  if (credential.isConfined) {
    const own = { spendLimit: credential.spendLimit ?? null, expiresAt: credential.expiresAt };
    const present = inSeconds(key);
    requireWithin(
      {
        spendLimit: own.spendLimit === null ? null : present.spendLimit,
        expiresAt: own.expiresAt === null ? null : present.expiresAt,
      },
      bounds,
      byAsker,
    );
  }
  requireFuture(bounds, nowMs);
  return bounds;
}

function requireWithin(most: KeyBounds, wanted: Partial<KeyBounds>, whose: string): void {
  const { spendLimit, expiresAt } = wanted;
  if (most.spendLimit !== null && spendLimit !== undefined && (spendLimit === null || spendLimit > most.spendLimit)) {
    throw tooWide('spend_limit_usd', `may be at most ${formatUsd(most.spendLimit)}, ${whose}`);
  }
  if (most.expiresAt !== null && expiresAt !== undefined && (expiresAt === null || expiresAt > most.expiresAt)) {
    throw tooWide('expires_at', `may be at most ${most.expiresAt}, ${whose}`);
  }
}

function requireFuture({ expiresAt }: Partial<KeyBounds>, nowMs: number): void {
  if (expiresAt != null && expiresAt * 1000 <= nowMs) throw tooWide('expires_at', 'must be in the future');
}

const inSeconds = ({ spendLimit, expiresAt }: KeyStanding['above']): KeyBounds => ({
  spendLimit: spendLimit === null ? null : nanoUsd(spendLimit),
  expiresAt: expiresAt === null ? null : Number(expiresAt / 1000n),
});

const tooWide = (param: string, why: string) => new AppError('invalid_value', `"${param}" ${why}.`, { param });

/** The columns of bounds; what is not said stays. */
export const boundColumns = ({ spendLimit, expiresAt }: Partial<KeyBounds>) => ({
  ...(spendLimit === undefined ? {} : { spend_limit: spendLimit }),
  ...(expiresAt === undefined ? {} : { expires_at: expiresAt === null ? null : BigInt(expiresAt) * 1000n }),
});
