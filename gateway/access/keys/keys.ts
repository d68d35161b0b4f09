import type { ApiKey, ChangeKeyRequest, CreatedApiKey, CreateKeyRequest } from '#shared/wire/key.ts';
import type { Page, PageRequest } from '../../storage/cursor.ts';
import type { GatewayDb, GatewayTransaction } from '../../storage/open-database.ts';
import type { Transact } from '../../storage/transact.ts';
import { holderNow } from '../auth/holder.ts';
import { requireKeySecret } from '../auth/key-secret.ts';
import { getStandings, type KeyStanding } from '../auth/key-standing.ts';
import type { Peppers } from '../auth/pepper.ts';
import type { Principal } from '../auth/principal.ts';
import { boundColumns, boundsForChange } from './key-bounds.ts';
import { listKeys, requireKey, toApiKey } from './keys-store.ts';
import { mintKey } from './mint-key.ts';

export interface KeysDeps {
  readonly db: GatewayDb;
  readonly transact: Transact;
  readonly peppers: Peppers;
  readonly now: () => number;
  /** Called after a change that a cached credential must not outlive. */
  readonly credentialsChanged: () => void;
}

/** What the holder of a credential may do with the keys of its account (wire contract §10, decision 029). */
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
