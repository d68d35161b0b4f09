import type { WalletBalance } from '#shared/contract/app/wallets.ts';
import type { Wallet } from '#shared/contract/common/fields.ts';
import type { Account } from '#shared/wire/account.ts';
import type { Connections, Payer } from '../connection/connections.ts';
import { askGateway } from '../connection/gateway-errors.ts';

export interface AccountDeps {
  readonly connections: Connections;
  readonly hasProvider: () => Promise<boolean>;
}

const limitMs = 10_000;

/** The gateway accounts that pay. */
export function accountFeature({ connections, hasProvider }: AccountDeps) {
  const accountOf = ({ client }: Payer): Promise<Account> =>
    askGateway(() => client.account({ signal: AbortSignal.timeout(limitMs) }));

  return {
    /** Without wallets that were never used and have no keys. */
    async wallets(): Promise<WalletBalance[]> {
      const payers = await connections.payers();
      const wallets = await Promise.all(
        payers.map(async (payer) => ({ payer, account: await accountOf(payer), used: await used(payer) })),
      );
      return wallets.filter(({ used }) => used).flatMap(({ payer, account }) => toWallets(payer, account));
    },
    get: async ({ wallet }: { wallet: Wallet }): Promise<Account> => accountOf(await connections.wallet(wallet)),
  };

  async function used({ wallet, client }: Payer): Promise<boolean> {
    if (connections.mode === 'remote' || wallet === 'sandbox' || (await hasProvider())) return true;
    const { transactions } = await askGateway(() => client.credits({ limit: 1 }));
    return transactions.data.length > 0;
  }

  function toWallets({ wallet }: Payer, account: Account): WalletBalance[] {
    if (!account.balance) return [];
    const simulated = wallet === 'sandbox';
    const name = simulated ? 'Test credits' : account.name;
    return [{ id: wallet, name, simulated, billing: account.plan.billing, balance: account.balance }];
  }
}
