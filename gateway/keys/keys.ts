import { AppError } from '#shared/errors.ts';
import { type NanoUsd, parseUsd } from '#shared/money.ts';
import type { ApiKey, ChangeKeyRequest, CreatedApiKey, CreateKeyRequest } from '#shared/wire/key.ts';
import type { Peppers } from '../auth/pepper.ts';
import type { Principal } from '../auth/principal.ts';
import type { Page, PageRequest } from '../db/cursor.ts';
import type { BooksDb, BooksTransaction } from '../db/open.ts';
import type { ApiKeyRow } from '../db/schema.ts';
import type { Transact } from '../db/transact.ts';
import { windowOf } from '../limits/chat-pass.ts';
import { boundsOf, type KeyBounds, requireScopes, requireWithin } from './key-bounds.ts';
import { findKey, listKeys, requireKey, toApiKey } from './keys-store.ts';
import { newKey } from './new-key.ts';

/** Keys of one account that work at the same time. */
const keysPerAccount = 500;
/** Limited keys may mint limited keys, this many generations deep: each hold looks at all of them. */
const generations = 4;

export interface KeysDeps {
  readonly db: BooksDb;
  readonly transact: Transact;
  readonly peppers: Peppers;
  readonly now: () => number;
  /** Called after a change that a cached credential must not outlive. */
  readonly credentialsChanged: () => void;
}

/** What the holder of a credential may do with the keys of its account (wire contract §10). */
export interface Keys {
  list(principal: Principal, page: PageRequest): Promise<Page<ApiKey>>;
  create(principal: Principal, wanted: CreateKeyRequest): Promise<CreatedApiKey>;
  change(principal: Principal, id: string, wanted: ChangeKeyRequest): Promise<ApiKey>;
  revoke(principal: Principal, id: string): Promise<ApiKey>;
}

export function createKeys({ db, transact, peppers, now, credentialsChanged }: KeysDeps): Keys {
  async function change(principal: Principal, id: string, wanted: ChangeKeyRequest): Promise<ApiKey> {
    const row = await transact((trx) => changeKey(trx, principal, id, wanted, now()));
    credentialsChanged();
    return toApiKey(row, now());
  }

  return {
    list: (principal, page) => listKeys(db, principal.accountId, page, now()),
    async create(principal, wanted) {
      const scopes = wanted.scopes ?? principal.credential.scopes;
      requireScopes(principal, scopes);
      const bounds = boundsForNew(principal, wanted, now());
      const { accountId } = principal;
      const fresh = newKey({ accountId, label: wanted.label ?? null, scopes, now: now() }, peppers);
      const row = await transact((trx) => insertKey(trx, principal, { ...fresh.row, ...boundColumns(bounds) }));
      return { ...toApiKey(row, now()), key: fresh.key };
    },
    change,
    revoke: (principal, id) => change(principal, id, { revoked: true }),
  };
}

/** What was not said is as the creator has it. */
function boundsForNew(principal: Principal, wanted: CreateKeyRequest, nowMs: number): KeyBounds {
  const own = boundsOf(principal);
  const bounds = {
    spendLimit: wanted.spend_limit_usd == null ? own.spendLimit : parseUsd(wanted.spend_limit_usd),
    expiresAt: wanted.expires_at ?? own.expiresAt,
  };
  requireWithin(own, bounds, nowMs);
  return bounds;
}

const boundColumns = ({ spendLimit, expiresAt }: KeyBounds) => ({
  spend_limit: spendLimit,
  expires_at: expiresAt === null ? null : BigInt(expiresAt) * 1000n,
});

type FreshRow = ReturnType<typeof newKey>['row'] & ReturnType<typeof boundColumns>;

async function insertKey(trx: BooksTransaction, principal: Principal, row: FreshRow): Promise<ApiKeyRow> {
  const { accountId } = principal;
  // Locks the account, so that two that are minted at once are both counted.
  await trx.updateTable('accounts').set({ id: accountId }).where('id', '=', accountId).execute();
  const { active } = await trx
    .selectFrom('api_keys')
    .select((column) => column.fn.countAll<bigint>().as('active'))
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (active >= BigInt(keysPerAccount)) {
    throw new AppError('plan_limit_exceeded', `An account has at most ${keysPerAccount} keys. Revoke some first.`, {
      details: { limit: 'keys', limit_value: String(keysPerAccount) },
    });
  }
  return trx
    .insertInto('api_keys')
    .values({ ...row, parent_id: await limitedCreator(trx, principal), window_id: windowOf(principal) })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The key whose limit the new one shares: the creator where it has one, its own or one it was minted under. */
async function limitedCreator(trx: BooksTransaction, { accountId, credential }: Principal): Promise<string | null> {
  if (credential.id === null) return null;
  const creator = await findKey(trx, accountId, credential.id);
  if (!creator || (creator.spend_limit === null && creator.parent_id === null)) return null;
  let depth = 1;
  for (let key = creator; key.parent_id !== null; depth += 1) key = await requireKey(trx, accountId, key.parent_id);
  if (depth < generations) return creator.id;
  throw new AppError('plan_limit_exceeded', 'This key was itself minted by a minted key: mint with an earlier one.', {
    details: { limit: 'key_generations', limit_value: String(generations) },
  });
}

async function changeKey(
  trx: BooksTransaction,
  principal: Principal,
  id: string,
  wanted: ChangeKeyRequest,
  nowMs: number,
): Promise<ApiKeyRow> {
  const { accountId } = principal;
  const row = await requireKey(trx, accountId, id);
  const bounds = wantedBounds(wanted);
  requireWithin(ownFor(principal, row), bounds, nowMs);
  const revoked = wanted.revoked === true && row.revoked_at === null ? { revoked_at: BigInt(nowMs) } : {};
  const values = {
    ...(wanted.label === undefined ? {} : { label: wanted.label || null }),
    ...(bounds.spendLimit === undefined ? {} : { spend_limit: bounds.spendLimit }),
    ...(bounds.expiresAt === undefined
      ? {}
      : { expires_at: bounds.expiresAt === null ? null : BigInt(bounds.expiresAt) * 1000n }),
    ...revoked,
  };
  if (Object.keys(values).length === 0) return row;
  return trx
    .updateTable('api_keys')
    .set(values)
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

const wantedBounds = (wanted: ChangeKeyRequest): Partial<KeyBounds> => ({
  ...(wanted.spend_limit_usd === undefined
    ? {}
    : { spendLimit: wanted.spend_limit_usd === null ? null : parseUsd(wanted.spend_limit_usd) }),
  ...(wanted.expires_at === undefined ? {} : { expiresAt: wanted.expires_at }),
});

/** A bounded credential may only narrow: neither its own bounds nor another key's become wider than they are and it has. */
function ownFor(principal: Principal, row: ApiKeyRow): KeyBounds {
  const own = boundsOf(principal);
  const present = row.expires_at === null ? null : Number(row.expires_at / 1000n);
  return {
    spendLimit: own.spendLimit === null ? null : least(own.spendLimit, row.spend_limit),
    expiresAt: own.expiresAt === null ? null : Math.min(own.expiresAt, present ?? own.expiresAt),
  };
}

const least = (own: NanoUsd, present: bigint | null): NanoUsd =>
  present !== null && present < own ? (present as NanoUsd) : own;
