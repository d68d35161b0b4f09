import type { KeySummary, Operator } from '#gateway/operator/operator.ts';
import type { LocalKey } from '#shared/contract/app/local-keys.ts';
import { type Wallet, wallet as wallets } from '#shared/contract/common/fields.ts';
import { refusal } from '#shared/language/refusals.ts';
import { formatUsd, parseUsd } from '#shared/money.ts';
import type { Payer } from '../connection/connections.ts';
import type { Changes } from '../streams/change-topics.ts';

export interface LocalKeysDeps {
  readonly operator: Pick<Operator, 'createKey' | 'listKeys' | 'revokeKey'>;
  readonly embedded: (wallet: Wallet) => Promise<Payer>;
  readonly changes: Changes;
  readonly now: () => number;
}

/** The built-in gateway’s keys for other programs. */
export function localKeysFeature({ operator, embedded, changes, now }: LocalKeysDeps) {
  /** Active keys of a wallet, without the app’s own. */
  async function keysOf(wallet: Wallet): Promise<LocalKey[]> {
    const { accountId, ownKeyId } = await whose(wallet);
    const keys = await operator.listKeys(accountId);
    return keys.filter((key) => key.id !== ownKeyId && works(key, now())).map((key) => shown(key, wallet));
  }

  async function whose(wallet: Wallet): Promise<{ accountId: string; ownKeyId: string | null }> {
    const { id, credential } = await (await embedded(wallet)).client.account();
    if (id === null) throw new Error('the built-in gateway tells its accounts');
    return { accountId: id, ownKeyId: credential?.id ?? null };
  }

  async function list(): Promise<LocalKey[]> {
    const lists = await Promise.all(wallets.options.map(keysOf));
    return lists.flat().sort((a, b) => a.createdAt - b.createdAt);
  }

  return {
    list,

    async create(input: { name: string; wallet: Wallet; limitUsd: string | null }): Promise<{ key: string }> {
      const { accountId } = await whose(input.wallet);
      const limit = input.limitUsd === null ? {} : { spendLimit: parseUsd(input.limitUsd) };
      const { key } = await operator.createKey({ accountId, label: input.name, ...limit });
      changes.emit('gateway');
      return { key };
    },

    async revoke({ id }: { id: string }): Promise<void> {
      if (!(await list()).some((key) => key.id === id)) throw refusal('not_found', 'keyRevoked');
      await operator.revokeKey(id);
      changes.emit('gateway');
    },
  };
}

const works = ({ revokedAt, expiresAt }: KeySummary, now: number): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > now);

const shown = (key: KeySummary, wallet: Wallet): LocalKey => ({
  id: key.id,
  name: key.label ?? '',
  prefix: key.prefix,
  wallet,
  createdAt: key.created,
  spentUsd: formatUsd(key.spent),
  limitUsd: key.spendLimit === null ? null : formatUsd(key.spendLimit),
});
