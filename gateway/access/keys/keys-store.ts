import { AppError } from '#shared/errors.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { ApiKey } from '#shared/wire/key.ts';
import { getPage, getSlice, type Page, type PageRequest, unknownCursor } from '../../storage/cursor.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { isWithin } from '../auth/key-line.ts';
import { getStandings, type KeyStanding } from '../auth/key-standing.ts';
import type { Principal } from '../auth/principal.ts';

/** The keys a caller may see and change; any other one does not exist for it (every query names account and caller). */

export async function listKeys(
  db: GatewayDb,
  principal: Principal,
  page: PageRequest,
  now: number,
): Promise<Page<ApiKey>> {
  const slice = getSlice(page);
  if (slice.cursor !== undefined && !(await isThere(db, principal, slice.cursor))) throw unknownCursor(page);
  const rows = await getKeys(db, principal)
    .$if(slice.cursor !== undefined, (rest) => rest.where('id', slice.comparison, slice.cursor ?? ''))
    .orderBy('id', slice.direction)
    .limit(slice.take)
    .execute();
  const ids = rows.map(({ id }) => id);
  const standings = await getStandings(db, ids, now);
  const found = ids.flatMap((id) => standings.get(id) ?? []);
  return getPage(
    page,
    found.map((key) => toApiKey(key, now)),
    (key) => key,
  );
}

const getKeys = (db: GatewayDb, { accountId, credential }: Principal) =>
  db
    .selectFrom('api_keys')
    .select('id')
    .where('account_id', '=', accountId)
    .$if(credential.isConfined === true, (rest) => rest.where(isWithin(credential.id ?? '')));

const isThere = (db: GatewayDb, principal: Principal, id: string) =>
  getKeys(db, principal).where('id', '=', id).executeTakeFirst();

/** Throws 404 where the caller has no such key to see. */
export async function requireKey(db: GatewayDb, principal: Principal, id: string, now: number): Promise<KeyStanding> {
  const key = (await isThere(db, principal, id)) && (await getStandings(db, [id], now)).get(id);
  if (key) return key;
  const isConfined = principal.credential.isConfined === true;
  throw new AppError(
    'key_not_found',
    isConfined
      ? 'There is no such key among this one and those that it minted. Others of the account are out of its reach.'
      : 'This account has no key with this id.',
  );
}

const seconds = (milliseconds: bigint | null) => (milliseconds === null ? null : Number(milliseconds / 1000n));

/** A key as it stands with all that it comes from: what it shows is what it gets. */
export const toApiKey = (key: KeyStanding, now: number): ApiKey => ({
  id: key.row.id,
  object: 'api_key',
  label: key.row.label,
  prefix: key.row.prefix,
  scopes: [...key.scopes],
  status: getStatus(key, now),
  created: Number(key.row.created / 1000n),
  expires_at: seconds(key.expiresAt),
  revoked_at: seconds(key.revokedAt),
  last_used_at: seconds(key.row.last_used_at),
  spend_limit_usd: key.spendLimit === null ? null : formatUsd(nanoUsd(key.spendLimit)),
  spent_usd: formatUsd(nanoUsd(key.row.spent)),
  held_usd: formatUsd(nanoUsd(key.row.held)),
  minted_by: key.row.parent_id ?? key.row.token_user,
});

function getStatus({ isRevoked, expiresAt }: KeyStanding, now: number): ApiKey['status'] {
  if (isRevoked) return 'revoked';
  return expiresAt !== null && expiresAt <= BigInt(now) ? 'expired' : 'active';
}
