import type { Operator } from '#gateway/operations/operator/operator.ts';
import type { ApiKeyEntry } from '#shared/contract/app/api-keys.ts';
import { getProblemText, type ProblemText, toAppError } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { type Scope, scope } from '#shared/wire/account.ts';
import type { ApiKey } from '#shared/wire/key.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import type { Connections, Payer } from '../connection/connections.ts';
import { askGateway, fromGateway } from '../connection/gateway-errors.ts';

export interface ApiKeysDeps extends CoreContext {
  readonly connections: Pick<Connections, 'byId'>;
  /** The operator of the built-in gateway. */
  readonly operator: Pick<Operator, 'createKey'>;
}

interface Place {
  readonly account: string;
  readonly id: string;
}
interface Bounds {
  readonly name: string;
  readonly limitUsd: string | null;
  /** Epoch milliseconds. */
  readonly expiresAt: number | null;
}
interface NewKey extends Bounds {
  readonly scopes: readonly Scope[];
}

const limitMs = 10_000;
/** Gateways also list revoked keys, so several pages may be needed. At most this many are read. */
const maxPages = 20;

/** Manages the API keys of any account, local or remote, through the gateway’s own API (wire contract §10). */
export function apiKeysFeature({ connections, operator, changes, now }: ApiKeysDeps) {
  async function read({ client }: Payer): Promise<{ keys: ApiKey[]; complete: boolean }> {
    const signal = AbortSignal.timeout(limitMs);
    const keys: ApiKey[] = [];
    let after: string | null = null;
    for (let page = 0; page < maxPages; page++) {
      const list = await askGateway(() => client.keys({ limit: 100, ...(after ? { after } : {}) }, { signal }));
      keys.push(...list.data.filter(({ status }) => status === 'active'));
      after = list.last_id;
      if (!list.has_more || after === null) return { keys, complete: true };
    }
    return { keys, complete: false };
  }

  /** Returns the id of the key that this app itself uses. Lists of keys for other programs leave it out. */
  async function ownId({ client }: Payer): Promise<string | null> {
    const { credential } = await askGateway(() => client.verify({ signal: AbortSignal.timeout(limitMs) }));
    return credential?.id ?? null;
  }

  async function getOthers(payer: Payer): Promise<{ keys: ApiKey[]; complete: boolean }> {
    const [{ keys, complete }, own] = await Promise.all([read(payer), ownId(payer)]);
    return { keys: keys.filter(({ id }) => id !== own), complete };
  }

  async function found(payer: Payer, id: string): Promise<ApiKey> {
    const key = (await getOthers(payer)).keys.find((candidate) => candidate.id === id);
    if (!key) throw refusal('not_found', 'keyRevoked');
    return key;
  }

  async function make(payer: Payer, { name, scopes, limitUsd, expiresAt }: NewKey): Promise<string> {
    // A key that the app's own key creates ends together with it. Without a keychain the app's key is new at each
    // start, so the operator creates this one.
    if (payer.source.startsWith('embedded/')) {
      const { id } = await askGateway(() => payer.client.account({ signal: AbortSignal.timeout(limitMs) }));
      if (id === null) throw new Error('the built-in gateway tells its accounts');
      const limit = limitUsd === null ? {} : { spendLimit: parseUsd(limitUsd) };
      const end = expiresAt === null ? {} : { expiresAt };
      const { key } = await operator.createKey({ accountId: id, label: name, scopes, ...limit, ...end });
      return key;
    }
    const wanted = { label: name, scopes: [...scopes], spend_limit_usd: limitUsd, expires_at: getSeconds(expiresAt) };
    const made = await askGateway(() => payer.client.createKey(wanted, { signal: AbortSignal.timeout(limitMs) }));
    return made.key;
  }

  const change = (payer: Payer, id: string, wanted: Parameters<Payer['client']['changeKey']>[1]) =>
    askGateway(() => payer.client.changeKey(id, wanted, { signal: AbortSignal.timeout(limitMs) }));

  /** Ends a key that was replaced. Returns the problem if that failed. */
  async function end(payer: Payer, key: ApiKey, inHours: number): Promise<ProblemText | null> {
    const endsAt = Math.floor(now() / 1000) + inHours * 3600;
    try {
      if (inHours === 0) await payer.client.revokeKey(key.id, { signal: AbortSignal.timeout(limitMs) });
      else if (key.expires_at === null || key.expires_at > endsAt) await change(payer, key.id, { expires_at: endsAt });
      return null;
    } catch (error) {
      return getProblemText(toAppError(fromGateway(error)));
    }
  }

  return {
    async list({ account }: { account: string }): Promise<{ keys: ApiKeyEntry[]; complete: boolean }> {
      const { keys, complete } = await getOthers(await connections.byId(account));
      return { keys: keys.map((key) => shown(key, account)), complete };
    },

    async create({ account, ...wanted }: NewKey & { account: string }): Promise<{ key: string }> {
      const key = await make(await connections.byId(account), wanted);
      changes.emit('gateway');
      return { key };
    },

    async change({ account, id, name, limitUsd, expiresAt }: Place & Bounds): Promise<void> {
      const payer = await connections.byId(account);
      await found(payer, id);
      await change(payer, id, { label: name, spend_limit_usd: limitUsd, expires_at: getSeconds(expiresAt) });
      changes.emit('gateway');
    },

    async rotate({ account, id, endsInHours }: Place & { endsInHours: number }) {
      const payer = await connections.byId(account);
      const before = await found(payer, id);
      const key = await make(payer, getSuccessor(before));
      const problem = await end(payer, before, endsInHours);
      changes.emit('gateway');
      return { key, problem };
    },

    async revoke({ account, id }: Place): Promise<void> {
      const payer = await connections.byId(account);
      await found(payer, id);
      await askGateway(() => payer.client.revokeKey(id, { signal: AbortSignal.timeout(limitMs) }));
      changes.emit('gateway');
    },
  };
}

const getSeconds = (ms: number | null): number | null => (ms === null ? null : Math.floor(ms / 1000));

/**
 * Returns a copy of the key with the rest of its spending limit, so that both keys together can't spend more than the
 * first one could.
 */
function getSuccessor({ label, scopes, expires_at, spend_limit_usd, spent_usd, held_usd }: ApiKey): NewKey {
  const left = spend_limit_usd === null ? null : parseUsd(spend_limit_usd) - parseUsd(spent_usd) - parseUsd(held_usd);
  return {
    name: label ?? '',
    scopes: scopes.flatMap((name) => scope.safeParse(name).data ?? []),
    limitUsd: left === null ? null : formatUsd(nanoUsd(left < 0n ? 0n : left)),
    expiresAt: expires_at === null ? null : expires_at * 1000,
  };
}

const shown = (key: ApiKey, account: string): ApiKeyEntry => ({
  id: key.id,
  account,
  name: key.label,
  prefix: key.prefix,
  scopes: key.scopes,
  createdAt: key.created * 1000,
  lastUsedAt: key.last_used_at === null ? null : key.last_used_at * 1000,
  expiresAt: key.expires_at === null ? null : key.expires_at * 1000,
  spentUsd: key.spent_usd,
  limitUsd: key.spend_limit_usd,
});
