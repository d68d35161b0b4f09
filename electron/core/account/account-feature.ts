import type { WalletBalance } from '#shared/contract/app/wallets.ts';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { AppError } from '#shared/errors.ts';
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
  async function accountOf({ client }: Payer): Promise<Account> {
    try {
      return await askGateway(() => client.account({ signal: AbortSignal.timeout(limitMs) }));
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'insufficient_scope')) throw error;
      // Who pays can be told by any key; what is there cannot.
      const verified = await askGateway(() => client.verify({ signal: AbortSignal.timeout(limitMs) }));
      return { ...verified.account, credential: verified.credential, balance: null, usage: null };
    }
  }

  return {
    /** Without wallets that were never used and have no keys. */
    async wallets(): Promise<WalletBalance[]> {
      const payers = await connections.payers();
      const wallets = await Promise.all(
        payers.map(async (payer) => ({ payer, account: await accountOf(payer), used: await used(payer) })),
      );
      return wallets.filter(({ used }) => used).map(({ payer, account }) => toWallet(payer, account));
    },
    get: async ({ wallet }: { wallet: Wallet }): Promise<Account> => accountOf(await connections.wallet(wallet)),
  };

  async function used({ wallet, client }: Payer): Promise<boolean> {
    if (connections.mode === 'remote' || wallet === 'sandbox' || (await hasProvider())) return true;
    const { transactions } = await askGateway(() => client.credits({ limit: 1 }));
    return transactions.data.length > 0;
  }

  function toWallet({ wallet }: Payer, { name: own, plan, balance }: Account): WalletBalance {
    const simulated = wallet === 'sandbox';
    const name = simulated ? 'Test credits' : own;
    return { id: wallet, name, simulated, billing: plan.billing, balance };
  }
}
