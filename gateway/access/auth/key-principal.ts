import { AppError } from '#shared/errors.ts';
import { nanoUsd } from '#shared/money.ts';
import { invalidKey } from './authorization-header.ts';
import type { KeyStanding } from './key-standing.ts';
import type { PlanOf } from './plans.ts';
import type { Principal } from './principal.ts';

/** Returns the caller for a key, within the bounds of the key and all its ancestors. Throws 401 when one of them was revoked. */
export function keyPrincipal(standing: KeyStanding, getPlan: PlanOf): Principal {
  const { row, spendLimit, expiresAt } = standing;
  if (standing.isRevoked) throw new AppError('invalid_api_key', invalidKey);
  return {
    accountId: row.account_id,
    accountStatus: standing.accountStatus,
    plan: getPlan(standing.plan),
    credential: {
      type: 'api_key',
      id: row.id,
      label: row.label,
      prefix: row.prefix,
      scopes: standing.scopes,
      created: seconds(row.created),
      expiresAt: expiresAt === null ? null : seconds(expiresAt),
      lastUsedAt: row.last_used_at === null ? null : seconds(row.last_used_at),
      ...(row.window_id === null ? {} : { window: row.window_id }),
      spendLimit: spendLimit === null ? null : nanoUsd(spendLimit),
      isConfined: isConfined(standing),
    },
  };
}

/** Throws 401 `api_key_expired` from the exact moment at which the key expires. */
export function requireNotEnded(principal: Principal, now: number): void {
  if (!hasEnded(principal, now)) return;
  throw new AppError('api_key_expired', 'This API key has expired. Create a new one.');
}

export const hasEnded = ({ credential: { expiresAt } }: Principal, now: number): boolean =>
  expiresAt !== null && expiresAt * 1000 <= now;

/** Only a key that the operator made without a limit and without an expiry represents the full account. */
const isConfined = ({ row, spendLimit, expiresAt }: KeyStanding): boolean =>
  row.parent_id !== null || row.token_user !== null || spendLimit !== null || expiresAt !== null;

const seconds = (milliseconds: bigint) => Number(milliseconds / 1000n);
