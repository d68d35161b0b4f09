import type { Scope } from '#shared/wire/account.ts';
import { newId } from '../../storage/id.ts';
import { createApiKey, displayPrefix, getDigest } from '../auth/api-key.ts';
import type { Peppers } from '../auth/pepper.ts';

export interface NewKey {
  readonly accountId: string;
  readonly label: string | null;
  readonly scopes: readonly Scope[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Creates a key and the row to store, which doesn't contain the key itself (wire contract §4.2). */
export function newKey({ accountId, label, scopes, now }: NewKey, peppers: Peppers) {
  const key = createApiKey();
  const row = {
    id: newId('key', now),
    account_id: accountId,
    digest: getDigest(key, peppers[0]),
    prefix: displayPrefix(key),
    label: label?.trim() || null,
    scopes: JSON.stringify(scopes),
    created: BigInt(now),
  };
  return { key, row };
}
