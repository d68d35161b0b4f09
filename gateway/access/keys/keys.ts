import { AppError } from '#shared/errors.ts';
import { formatUsd, type NanoUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { Scope } from '#shared/wire/account.ts';
import type { ApiKey, ChangeKeyRequest, CreatedApiKey, CreateKeyRequest } from '#shared/wire/key.ts';
import { getPage, getSlice, type Page, type PageRequest, unknownCursor } from '../../storage/cursor.ts';
import type { GatewayDb, GatewayTransaction } from '../../storage/open-database.ts';
import type { Transact } from '../../storage/transact.ts';
import { holderNow } from '../auth/holder.ts';
import { countWorking, isWithin } from '../auth/key-line.ts';
import { requireKeySecret } from '../auth/key-secret.ts';
import { getStandings, type KeyStanding } from '../auth/key-standing.ts';
import type { Peppers } from '../auth/pepper.ts';
import type { Principal } from '../auth/principal.ts';
import { clientScopes } from '../auth/scopes.ts';
import { getWindow } from '../limits/rate-limit-lease.ts';
import { newKey } from './new-key.ts';

/** The bounds that were asked for. Null: no bound. Times are Unix seconds. */
interface KeyBounds {
  readonly spendLimit: NanoUsd | null;
  readonly expiresAt: number | null;
}

const byAsker = 'as of the credential that asks';
const byMinter = 'as of the credential that minted it';

/**
 * Returns the scopes of a new key: those that were asked for, or else those of a chat client that the creator has. Throws 403
 * when the creator lacks a requested scope, and 400 when none was requested and it has none of a chat client's.
 */
function scopesForNew({ credential }: Principal, { scopes }: CreateKeyRequest): readonly Scope[] {
  const wanted = scopes ?? clientScopes.filter((name) => credential.scopes.includes(name));
  const missing = wanted.find((name) => !credential.scopes.includes(name));
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

/**
 * Returns the bounds of a new key. A bound that wasn't requested is that of the creator. Throws 400 when more is requested than
 * the creator has.
 */
function boundsForNew({ credential }: Principal, wanted: CreateKeyRequest, nowMs: number): KeyBounds {
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
 * Returns the bounds that a change asks for. Throws 400 when they are wider than those of the key's ancestors. A caller that is
 * itself confined may only narrow: it also can't exceed its own bounds or the key's present ones.
 */
function boundsForChange(
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

function requireWithin(allowed: KeyBounds, wanted: Partial<KeyBounds>, whose: string): void {
  const { spendLimit, expiresAt } = wanted;
  if (
    allowed.spendLimit !== null &&
    spendLimit !== undefined &&
    (spendLimit === null || spendLimit > allowed.spendLimit)
  ) {
    throw tooWide('spend_limit_usd', `may be at most ${formatUsd(allowed.spendLimit)}, ${whose}`);
  }
  if (allowed.expiresAt !== null && expiresAt !== undefined && (expiresAt === null || expiresAt > allowed.expiresAt)) {
    throw tooWide('expires_at', `may be at most ${allowed.expiresAt}, ${whose}`);
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

/** Returns the columns to change. A bound that wasn't mentioned stays as it is. */
const boundColumns = ({ spendLimit, expiresAt }: Partial<KeyBounds>) => ({
  ...(spendLimit === undefined ? {} : { spend_limit: spendLimit }),
  ...(expiresAt === undefined ? {} : { expires_at: expiresAt === null ? null : BigInt(expiresAt) * 1000n }),
});

/** How many keys of one account may work at the same time. */
const keysPerAccount = 500;
/**
 * Keys can mint keys. Each request with a key reads all its ancestors, and with a spending limit each hold locks them, so both
 * depths are limited.
 */
const maxGenerations = 64;
const maxLimitedGenerations = 4;

/** Mints a key within what its creator may give at this moment. Returns it with the id of its row. */
async function mintKey(
  trx: GatewayTransaction,
  principal: Principal,
  wanted: CreateKeyRequest,
  { peppers, nowMs }: { readonly peppers: Peppers; readonly nowMs: number },
): Promise<{ readonly id: string; readonly key: string }> {
  const { accountId } = principal;
  // Locks the account, so that two keys minted at the same time are both counted.
  await trx.updateTable('accounts').set({ id: accountId }).where('id', '=', accountId).execute();
  const creator = await holderNow(trx, principal, nowMs);
  requireUnexpired(creator, nowMs);
  const scopes = scopesForNew(creator, wanted);
  const bounds = boundsForNew(creator, wanted, nowMs);
  await requireKeysLeft(trx, accountId, nowMs);
  await requireGenerationsLeft(trx, creator, nowMs);
  const { row, key } = newKey({ accountId, label: wanted.label ?? null, scopes, now: nowMs }, peppers);
  const from = { ...getProvenance(creator), window_id: getWindow(creator) };
  await trx
    .insertInto('api_keys')
    .values({ ...row, ...boundColumns(bounds), ...from })
    .execute();
  return { id: row.id, key };
}

/** Returns the origin of the new key: the parent key, or the token with everything that may end it early. */
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

/** A token is accepted for some seconds after it expired, because clocks differ. A key minted then would have expired already. */
function requireUnexpired({ credential: { expiresAt } }: Principal, nowMs: number): void {
  if (expiresAt === null || expiresAt * 1000 > nowMs) return;
  throw new AppError('token_expired', 'This token has expired. Get a new one.');
}

async function requireKeysLeft(trx: GatewayTransaction, accountId: string, nowMs: number): Promise<void> {
  if ((await countWorking(trx, accountId, nowMs)) < keysPerAccount) return;
  throw new AppError('plan_limit_exceeded', `An account has at most ${keysPerAccount} keys. Revoke some first.`, {
    details: { limit: 'keys', limit_value: String(keysPerAccount) },
  });
}

async function requireGenerationsLeft(
  trx: GatewayTransaction,
  { credential: { id } }: Principal,
  nowMs: number,
): Promise<void> {
  if (id === null) return;
  const line = (await getStandings(trx, [id], nowMs)).get(id);
  if (!line) return;
  const isLimited = line.limitedGenerations >= maxLimitedGenerations;
  if (!isLimited && line.generations < maxGenerations) return;
  throw new AppError('plan_limit_exceeded', 'This key was itself minted by a minted key: mint with an earlier one.', {
    details: { limit: 'key_generations', limit_value: String(isLimited ? maxLimitedGenerations : maxGenerations) },
  });
}

/**
 * The keys that a caller may see and change. Every query names the account and the caller, so any other key doesn't exist for it.
 */

async function listKeys(db: GatewayDb, principal: Principal, page: PageRequest, now: number): Promise<Page<ApiKey>> {
  const slice = getSlice(page);
  if (slice.cursor !== undefined && !(await findVisible(db, principal, slice.cursor))) throw unknownCursor(page);
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

const findVisible = (db: GatewayDb, principal: Principal, id: string) =>
  getKeys(db, principal).where('id', '=', id).executeTakeFirst();

/** Throws 404 when the caller can't see such a key. */
async function requireKey(db: GatewayDb, principal: Principal, id: string, now: number): Promise<KeyStanding> {
  const key = (await findVisible(db, principal, id)) && (await getStandings(db, [id], now)).get(id);
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

/** Shows a key with the bounds of all its ancestors, which is what it may really do. */
const toApiKey = (key: KeyStanding, now: number): ApiKey => ({
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

export interface KeysDeps {
  readonly db: GatewayDb;
  readonly transact: Transact;
  readonly peppers: Peppers;
  readonly now: () => number;
  /** Called after a change that a cached credential must not outlive. */
  readonly credentialsChanged: () => void;
}

/** What a caller may do with the keys of its account (wire contract §10, decision 029). */
export interface Keys {
  list(principal: Principal, page: PageRequest): Promise<Page<ApiKey>>;
  create(principal: Principal, wanted: CreateKeyRequest): Promise<CreatedApiKey>;
  change(principal: Principal, id: string, wanted: ChangeKeyRequest): Promise<ApiKey>;
  revoke(principal: Principal, id: string): Promise<ApiKey>;
}

export function createKeys({ db, transact, peppers, now, credentialsChanged }: KeysDeps): Keys {
  async function change(principal: Principal, id: string, wanted: ChangeKeyRequest): Promise<ApiKey> {
    const key = await transact((trx) => changeKey(trx, principal, id, wanted, now()));
    credentialsChanged();
    return toApiKey(key, now());
  }

  return {
    list: (principal, page) => listKeys(db, principal, page, now()),
    async create(principal, wanted) {
      await requireKeySecret({ db, peppers, now });
      const minted = await transact(async (trx) => {
        const { id, key } = await mintKey(trx, principal, wanted, { peppers, nowMs: now() });
        return { key, standing: await standingNow(trx, id, now()) };
      });
      return { ...toApiKey(minted.standing, now()), key: minted.key };
    },
    change,
    revoke: (principal, id) => change(principal, id, { revoked: true }),
  };
}

async function standingNow(trx: GatewayTransaction, id: string, nowMs: number): Promise<KeyStanding> {
  const standing = (await getStandings(trx, [id], nowMs)).get(id);
  if (!standing) throw new Error('a key was not there right after it had been written');
  return standing;
}

async function changeKey(
  trx: GatewayTransaction,
  principal: Principal,
  id: string,
  wanted: ChangeKeyRequest,
  nowMs: number,
): Promise<KeyStanding> {
  const holder = await holderNow(trx, principal, nowMs);
  const key = await requireKey(trx, holder, id, nowMs);
  const values = {
    ...(wanted.label === undefined ? {} : { label: wanted.label || null }),
    ...boundColumns(boundsForChange(holder, key, wanted, nowMs)),
    ...(wanted.revoked === true && key.row.revoked_at === null ? { revoked_at: BigInt(nowMs) } : {}),
  };
  if (Object.keys(values).length === 0) return key;
  await trx.updateTable('api_keys').set(values).where('id', '=', id).execute();
  return standingNow(trx, id, nowMs);
}
