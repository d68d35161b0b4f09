import { AppError } from '#shared/errors.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { ApiKey } from '#shared/wire/key.ts';
import { scopesFromJson } from '../auth/scopes.ts';
import { type Page, type PageRequest, pageOf, sliceOf, unknownCursor } from '../db/cursor.ts';
import type { BooksDb } from '../db/open.ts';
import type { ApiKeyRow } from '../db/schema.ts';

/** The keys of an account; those of another one do not exist (every query names the account). */

export async function listKeys(db: BooksDb, accountId: string, page: PageRequest, now: number): Promise<Page<ApiKey>> {
  const slice = sliceOf(page);
  if (slice.cursor !== undefined && !(await findKey(db, accountId, slice.cursor))) throw unknownCursor(page);
  const rows = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .$if(slice.cursor !== undefined, (rest) => rest.where('id', slice.comparison, slice.cursor ?? ''))
    .orderBy('id', slice.direction)
    .limit(slice.take)
    .execute();
  return pageOf(page, rows, (row) => toApiKey(row, now));
}

export const findKey = (db: BooksDb, accountId: string, id: string): Promise<ApiKeyRow | undefined> =>
  db.selectFrom('api_keys').selectAll().where('id', '=', id).where('account_id', '=', accountId).executeTakeFirst();

/** Throws 404 where this account has no such key. */
export async function requireKey(db: BooksDb, accountId: string, id: string): Promise<ApiKeyRow> {
  const row = await findKey(db, accountId, id);
  if (!row) throw new AppError('key_not_found', 'This account has no key with this id.');
  return row;
}

const seconds = (milliseconds: bigint | null) => (milliseconds === null ? null : Number(milliseconds / 1000n));

export const toApiKey = (row: ApiKeyRow, now: number): ApiKey => ({
  id: row.id,
  object: 'api_key',
  label: row.label,
  prefix: row.prefix,
  scopes: scopesFromJson(row.scopes),
  status: statusOf(row, now),
  created: Number(row.created / 1000n),
  expires_at: seconds(row.expires_at),
  revoked_at: seconds(row.revoked_at),
  last_used_at: seconds(row.last_used_at),
  spend_limit_usd: row.spend_limit === null ? null : formatUsd(nanoUsd(row.spend_limit)),
  spent_usd: formatUsd(nanoUsd(row.spent)),
  held_usd: formatUsd(nanoUsd(row.held)),
});

function statusOf(row: ApiKeyRow, now: number): ApiKey['status'] {
  if (row.revoked_at !== null) return 'revoked';
  return row.expires_at !== null && row.expires_at <= BigInt(now) ? 'expired' : 'active';
}
