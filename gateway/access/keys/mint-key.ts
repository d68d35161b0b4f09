import { AppError } from '#shared/errors.ts';
import type { CreateKeyRequest } from '#shared/wire/key.ts';
import type { GatewayTransaction } from '../../storage/open-database.ts';
import { holderNow } from '../auth/holder.ts';
import { countWorking } from '../auth/key-line.ts';
import { getStandings } from '../auth/key-standing.ts';
import type { Peppers } from '../auth/pepper.ts';
import type { Principal } from '../auth/principal.ts';
import { getWindow } from '../limits/rate-limit-lease.ts';
import { boundColumns, boundsForNew, scopesForNew } from './key-bounds.ts';
import { newKey } from './new-key.ts';

/** Keys of one account that work at the same time. */
const keysPerAccount = 500;
/** Keys mint keys, this many generations deep: each request with one looks at all of them. With a limit each hold locks them. */
const maxGenerations = 64;
const maxLimitedGenerations = 4;

/** A new key within what its creator may give at this moment. Returns it with the id of its row. */
export async function mintKey(
  trx: GatewayTransaction,
  principal: Principal,
  wanted: CreateKeyRequest,
  { peppers, nowMs }: { readonly peppers: Peppers; readonly nowMs: number },
): Promise<{ readonly id: string; readonly key: string }> {
  const { accountId } = principal;
  // Locks the account, so that two that are minted at once are both counted.
  await trx.updateTable('accounts').set({ id: accountId }).where('id', '=', accountId).execute();
  const creator = await holderNow(trx, principal, nowMs);
  requireLasting(creator, nowMs);
  const scopes = scopesForNew(creator, wanted);
  const bounds = boundsForNew(creator, wanted, nowMs);
  await requireRoom(trx, accountId, nowMs);
  await requireEarly(trx, creator, nowMs);
  const { row, key } = newKey({ accountId, label: wanted.label ?? null, scopes, now: nowMs }, peppers);
  const from = { ...getProvenance(creator), window_id: getWindow(creator) };
  await trx
    .insertInto('api_keys')
    .values({ ...row, ...boundColumns(bounds), ...from })
    .execute();
  return { id: row.id, key };
}

/** Where the new key comes from: the key, or the token as far as it can end before its time. */
function getProvenance({ userId, tokenId, tokenKey, credential }: Principal) {
  if (credential.id !== null) return { parent_id: credential.id };
  const seconds = (value: number | null) => (value === null ? null : BigInt(value));
  return {
    parent_id: null,
    token_user: userId ?? null,
    token_id: tokenId ?? null,
    token_key: tokenKey ?? null,
    token_issued: seconds(credential.created),
    token_expires: seconds(credential.expiresAt),
  };
}

/** A token is taken for some seconds after its end, because clocks differ; a key of it would have ended already. */
function requireLasting({ credential: { expiresAt } }: Principal, nowMs: number): void {
  if (expiresAt === null || expiresAt * 1000 > nowMs) return;
  throw new AppError('token_expired', 'This token has expired. Get a new one.');
}

async function requireRoom(trx: GatewayTransaction, accountId: string, nowMs: number): Promise<void> {
  if ((await countWorking(trx, accountId, nowMs)) < keysPerAccount) return;
  throw new AppError('plan_limit_exceeded', `An account has at most ${keysPerAccount} keys. Revoke some first.`, {
    details: { limit: 'keys', limit_value: String(keysPerAccount) },
  });
}

async function requireEarly(trx: GatewayTransaction, { credential: { id } }: Principal, nowMs: number): Promise<void> {
  if (id === null) return;
  const line = (await getStandings(trx, [id], nowMs)).get(id);
  if (!line) return;
  const isLimited = line.limitedGenerations >= maxLimitedGenerations;
  if (!isLimited && line.generations < maxGenerations) return;
  throw new AppError('plan_limit_exceeded', 'This key was itself minted by a minted key: mint with an earlier one.', {
    details: { limit: 'key_generations', limit_value: String(isLimited ? maxLimitedGenerations : maxGenerations) },
  });
}
